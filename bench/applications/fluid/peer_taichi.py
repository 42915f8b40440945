"""The same steps with Taichi on the CPU: a counting sort by cells, then particles go through the nine runs of their cells."""
import numpy as np
import taichi as ti

NORM = 3.34225380


@ti.func
def behind(u):
    return u**6 * (3.5 + u * (1.5 * u - 4.5))


@ti.func
def behind_slope(u):
    return u**5 * (21.0 + u * (12.0 * u - 31.5))


@ti.data_oriented
class Peer:
    def __init__(self, water, threads):
        ti.init(arch=ti.cpu, cpu_max_num_threads=threads, log_level=ti.ERROR, offline_cache=False)
        self.__dict__.update({name: water[name] for name in ("mass", "sound", "viscosity", "step")})
        self.box = ti.Vector(water["box"])
        cells, self.n = water["cells"], water["particles"]
        self.row, self.layer = cells[0] + 2, (cells[0] + 2) * (cells[2] + 2)
        self.count = self.layer * (cells[1] + 2)
        vectors = lambda: ti.Vector.field(3, ti.f32, self.n)
        self.at, self.velocity, self.sorted_at, self.sorted_velocity = vectors(), vectors(), vectors(), vectors()
        self.states = ti.Vector.field(2, ti.f32, self.n)
        numbers = lambda size: ti.field(ti.i32, size)
        self.id, self.sorted_id, self.begin, self.end = numbers(self.n), numbers(self.n), numbers(self.count + 1), numbers(self.count + 1)

    def put(self, at, velocity):
        self.at.from_numpy(at)
        self.velocity.from_numpy(velocity)
        self.id.from_numpy(np.arange(self.n, dtype=np.int32))

    def get(self):
        """Places, and which particles they are of."""
        return self.at.to_numpy(), self.id.to_numpy()

    def run(self, steps):
        for _ in range(steps):
            self.count_cells()
            self.scan()
            self.sort()
            self.densities()
            self.move()
        ti.sync()

    @ti.func
    def cell_of(self, at):
        c = ti.cast(at, ti.i32) + 1
        return c.y * self.layer + c.z * self.row + c.x

    @ti.kernel
    def count_cells(self):
        for c in self.end:
            self.end[c] = 0
        for i in range(self.n):
            ti.atomic_add(self.end[self.cell_of(self.at[i])], 1)

    @ti.kernel
    def scan(self):
        total = 0
        ti.loop_config(serialize=True)
        for c in range(self.count + 1):
            count = self.end[c]
            self.begin[c] = total
            self.end[c] = total
            total += count

    @ti.kernel
    def sort(self):
        for i in range(self.n):
            to = ti.atomic_add(self.end[self.cell_of(self.at[i])], 1)
            self.sorted_at[to] = self.at[i]
            self.sorted_velocity[to] = self.velocity[i]
            self.sorted_id[to] = self.id[i]

    @ti.func
    def slopes(self, x):
        return behind_slope(ti.max(1.0 - x, 0.0)) - behind_slope(ti.max(1.0 - (self.box - x), 0.0))

    @ti.func
    def inside(self, x):
        return 1.0 - behind(ti.max(1.0 - x, 0.0)) - behind(ti.max(1.0 - (self.box - x), 0.0))

    @ti.kernel
    def densities(self):
        for i in range(self.n):
            x = self.sorted_at[i]
            cell, total = self.cell_of(x), 0.0
            for row in range(9):
                middle = cell + (row // 3 - 1) * self.layer + (row % 3 - 1) * self.row
                for j in range(self.begin[middle - 1], self.begin[middle + 2]):
                    u = ti.max(1.0 - (x - self.sorted_at[j]).norm(), 0.0)
                    total += u * u * u * u * (5.0 - 4.0 * u)
            inside = self.inside(x)
            density = self.mass * NORM * total + 1.0 - inside.x * inside.y * inside.z
            d2 = density * density
            pressure = ti.max(self.sound * self.sound / 7.0 * (d2 * d2 * d2 * density - 1.0), 0.0) / d2
            self.states[i] = ti.Vector([pressure, 1.0 / density])

    @ti.kernel
    def move(self):
        for i in range(self.n):
            x, v, own = self.sorted_at[i], self.sorted_velocity[i], self.states[i]
            cell, total, drag = self.cell_of(x), ti.Vector([0.0, 0.0, 0.0]), -2.0 * self.viscosity * own[1]
            for row in range(9):
                middle = cell + (row // 3 - 1) * self.layer + (row % 3 - 1) * self.row
                for j in range(self.begin[middle - 1], self.begin[middle + 2]):
                    d = x - self.sorted_at[j]
                    u = ti.max(1.0 - d.norm(), 0.0)
                    s = 20.0 * NORM * u * u * u
                    pull = s * (drag * self.states[j][1])
                    total += s * (own[0] + self.states[j][0]) * d + pull * (v - self.sorted_velocity[j])
            inside, slopes = self.inside(x), self.slopes(x)
            wall = ti.Vector([slopes.x * inside.y * inside.z, slopes.y * inside.z * inside.x, slopes.z * inside.x * inside.y])
            v += self.step * (self.mass * total + 2.0 * own[0] * wall - ti.Vector([0.0, 1.0, 0.0]))
            to = x + self.step * v
            kept = ti.math.clamp(to, ti.Vector([0.0, 0.0, 0.0]), self.box)
            for k in ti.static(range(3)):
                if kept[k] != to[k]:
                    v[k] *= -0.5
            self.at[i] = kept
            self.velocity[i] = v
            self.id[i] = self.sorted_id[i]
