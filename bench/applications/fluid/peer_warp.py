"""The same steps with NVIDIA Warp on the CPU, where it runs one thread: its hash grid, which leaves particles where they are."""
import numpy as np
import warp as wp

NORM = wp.constant(3.34225380)


@wp.struct
class Water:
    box: wp.vec3
    mass: float
    sound: float
    viscosity: float
    step: float


@wp.func
def behind(u: float):
    return u * u * u * u * u * u * (3.5 + u * (1.5 * u - 4.5))


@wp.func
def behind_slope(u: float):
    return u * u * u * u * u * (21.0 + u * (12.0 * u - 31.5))


@wp.func
def inside_at(low: float, high: float):
    return 1.0 - behind(wp.max(1.0 - low, 0.0)) - behind(wp.max(1.0 - high, 0.0))


@wp.func
def slope_at(low: float, high: float):
    return behind_slope(wp.max(1.0 - low, 0.0)) - behind_slope(wp.max(1.0 - high, 0.0))


@wp.kernel
def densities(grid: wp.uint64, water: Water, at: wp.array(dtype=wp.vec3), states: wp.array(dtype=wp.vec2)):
    i = wp.hash_grid_point_id(grid, wp.tid())
    x = at[i]
    total = float(0.0)
    for j in wp.hash_grid_query(grid, x, 1.0):
        u = wp.max(1.0 - wp.length(x - at[j]), 0.0)
        total += u * u * u * u * (5.0 - 4.0 * u)
    high = water.box - x
    inside = inside_at(x[0], high[0]) * inside_at(x[1], high[1]) * inside_at(x[2], high[2])
    density = water.mass * NORM * total + 1.0 - inside
    d2 = density * density
    pressure = wp.max(water.sound * water.sound / 7.0 * (d2 * d2 * d2 * density - 1.0), 0.0) / d2
    states[i] = wp.vec2(pressure, 1.0 / density)


@wp.kernel
def move(grid: wp.uint64, water: Water, at: wp.array(dtype=wp.vec3), velocity: wp.array(dtype=wp.vec3), states: wp.array(dtype=wp.vec2),
         next_at: wp.array(dtype=wp.vec3), next_velocity: wp.array(dtype=wp.vec3)):
    i = wp.hash_grid_point_id(grid, wp.tid())
    x = at[i]
    v = velocity[i]
    own = states[i]
    drag = -2.0 * water.viscosity * own[1]
    total = wp.vec3(0.0)
    for j in wp.hash_grid_query(grid, x, 1.0):
        d = x - at[j]
        u = wp.max(1.0 - wp.length(d), 0.0)
        s = 20.0 * NORM * u * u * u
        total += s * (own[0] + states[j][0]) * d + s * (drag * states[j][1]) * (v - velocity[j])
    high = water.box - x
    a = inside_at(x[0], high[0])
    b = inside_at(x[1], high[1])
    c = inside_at(x[2], high[2])
    wall = wp.vec3(slope_at(x[0], high[0]) * b * c, slope_at(x[1], high[1]) * c * a, slope_at(x[2], high[2]) * a * b)
    v += water.step * (water.mass * total + 2.0 * own[0] * wall - wp.vec3(0.0, 1.0, 0.0))
    to = x + water.step * v
    for k in range(3):
        kept = wp.clamp(to[k], 0.0, water.box[k])
        if kept != to[k]:
            v[k] = -0.5 * v[k]
        to[k] = kept
    next_at[i] = to
    next_velocity[i] = v


class Peer:
    def __init__(self, water, threads):
        wp.config.quiet = True
        wp.init()
        self.water, self.cells = Water(), water["cells"]
        self.water.box = wp.vec3(*water["box"])
        for name in ("mass", "sound", "viscosity", "step"):
            setattr(self.water, name, water[name])
        self.grid = wp.HashGrid(*(n + 1 for n in self.cells), device="cpu")

    def put(self, at, velocity):
        self.at, self.velocity = (wp.array(v, dtype=wp.vec3, device="cpu") for v in (at, velocity))
        self.next_at, self.next_velocity = wp.empty_like(self.at), wp.empty_like(self.velocity)
        self.states = wp.empty(len(at), dtype=wp.vec2, device="cpu")

    def run(self, steps):
        n = len(self.at)
        for _ in range(steps):
            self.grid.build(self.at, 1.0)
            wp.launch(densities, n, [self.grid.id, self.water, self.at, self.states], device="cpu")
            given = [self.grid.id, self.water, self.at, self.velocity, self.states, self.next_at, self.next_velocity]
            wp.launch(move, n, given, device="cpu")
            self.at, self.next_at = self.next_at, self.at
            self.velocity, self.next_velocity = self.next_velocity, self.velocity

    def get(self):
        """Places, and which particles they are of."""
        return self.at.numpy(), np.arange(len(self.at))
