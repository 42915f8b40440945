// What examples/x3d makes of a city (city.py), by pugixml and fast_float: serial, or with threads that take geometry nodes.
//     peer FILE.x3d THREADS [--dump FILE] [--repeat N] [--sums]
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fast_float/fast_float.h>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

struct V3 {
  float x, y, z;
};
V3 operator+(V3 a, V3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
V3 operator-(V3 a, V3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
V3 operator*(V3 a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
float dot(V3 a, V3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
V3 unit(V3 v) {
  float size = std::sqrt(dot(v, v));
  return size > 0 ? V3{v.x / size, v.y / size, v.z / size} : V3{0, 0, 0};
}

struct Matrix {
  float m[3][4];
};
const Matrix kIdentity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      c.m[i][k] = a.m[i][0] * b.m[0][k] + a.m[i][1] * b.m[1][k] + a.m[i][2] * b.m[2][k];
      if (k == 3)
        c.m[i][k] += a.m[i][3];
    }
  return c;
}

V3 turned(const Matrix& m, V3 v) {
  return V3{m.m[0][0], m.m[1][0], m.m[2][0]} * v.x + V3{m.m[0][1], m.m[1][1], m.m[2][1]} * v.y +
         V3{m.m[0][2], m.m[1][2], m.m[2][2]} * v.z;
}
V3 apply(const Matrix& m, V3 v) {
  return turned(m, v) + V3{m.m[0][3], m.m[1][3], m.m[2][3]};
}

Matrix rotation(const float* r) {
  double x = r[0], y = r[1], z = r[2], size = std::sqrt(x * x + y * y + z * z);
  if (!(size > 0))
    return kIdentity;
  x /= size, y /= size, z /= size;
  double s = std::sin((double)r[3]), c = std::cos((double)r[3]), t = 1 - c;
  return {{{(float)(t * x * x + c), (float)(t * x * y - s * z), (float)(t * x * z + s * y), 0},
           {(float)(t * x * y + s * z), (float)(t * y * y + c), (float)(t * y * z - s * x), 0},
           {(float)(t * x * z - s * y), (float)(t * y * z + s * x), (float)(t * z * z + c), 0}}};
}
Matrix moved(V3 v) {
  return {{{1, 0, 0, v.x}, {0, 1, 0, v.y}, {0, 0, 1, v.z}}};
}
Matrix scaled(V3 v) {
  return {{{v.x, 0, 0, 0}, {0, v.y, 0, 0}, {0, 0, v.z, 0}}};
}

// Calls take(number) with each number of a text.
template <class T, class F> void numbers(const char* text, F take) {
  const char* end = text + std::strlen(text);
  while (true) {
    while (text < end && (*text == ' ' || *text == ',' || *text == '\n' || *text == '\t' || *text == '\r'))
      text++;
    if (text == end)
      return;
    T value = 0;
    const char* next;
    if constexpr (std::is_same_v<T, int>) {
      auto [p, error] = std::from_chars(text, end, value);
      next = p;
    } else {
      auto [p, error] = fast_float::from_chars(text, end, value);
      next = p;
    }
    if (next == text)
      std::fprintf(stderr, "peer: no number\n"), std::exit(1);
    take(value);
    text = next;
  }
}

std::vector<float> floatsOf(pugi::xml_node node, const char* name, std::vector<float> otherwise) {
  auto a = node.attribute(name);
  if (!a)
    return otherwise;
  otherwise.clear();
  numbers<float>(a.value(), [&](float x) { otherwise.push_back(x); });
  return otherwise;
}
V3 vectorOf(pugi::xml_node node, const char* name, V3 otherwise) {
  auto v = floatsOf(node, name, {otherwise.x, otherwise.y, otherwise.z});
  return {v[0], v[1], v[2]};
}
float floatOf(pugi::xml_node node, const char* name, float otherwise) {
  return floatsOf(node, name, {otherwise})[0];
}

struct Mesh {
  pugi::xml_node node;
  std::vector<V3> points;
  std::vector<int> corners;
  std::vector<std::pair<int, int>> faces; // first corner, count
  size_t point = 0, triangle = 0, triangles = 0;
  bool textured = false;
};

struct Corners {
  V3 a, b, c;
};
struct TextureCorners {
  float v[6] = {};
};
struct Triangle {
  int a, b, c;
};

struct World {
  std::vector<V3> points;
  std::vector<Triangle> triangles;
  std::vector<Corners> normals;
  struct Geometry {
    size_t point, points, triangle, triangles;
  };
  std::vector<Geometry> geometries;
  struct Shape {
    int geometry, material;
    Matrix place;
  };
  std::vector<Shape> shapes;
  struct Lamp {
    int kind;
    V3 at, color;
  };
  std::vector<Lamp> lamps;
  struct View {
    V3 at, ahead, up;
    float angle;
  };
  std::vector<View> views;
  struct Paint {
    V3 diffuse, specular, emissive;
    float ambient, shininess, transparency;
    int image = -1;
    V3 s = {1, 0, 0}, t = {0, 1, 0}; // where texture coordinates look into the image
  };
  std::vector<TextureCorners> texcoords;
  std::vector<std::string> images;
  std::vector<Paint> materials;
};

// Elements by what they are, and scene graph nodes in their places.
struct Reader {
  World& world;
  std::string path;
  std::vector<Mesh> meshes;
  std::unordered_map<std::string_view, pugi::xml_node> defined;
  std::unordered_map<void*, int> mesh_number, appearance_number;
  World::Paint plain = {{1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 1, 0, 0, -1, {1, 0, 0}, {0, 1, 0}};

  void number(pugi::xml_node node) {
    for (auto child : node.children()) {
      if (child.attribute("USE"))
        continue;
      if (auto def = child.attribute("DEF"))
        defined[def.value()] = child;
      std::string_view name = child.name();
      if (name == "IndexedFaceSet" || name == "Box") {
        mesh_number[child.internal_object()] = (int)meshes.size();
        meshes.push_back({child, {}, {}, {}, 0, 0, 0, false});
      } else if (name == "Appearance") {
        appearance_number[child.internal_object()] = (int)world.materials.size();
        world.materials.push_back(paint(child.child("Material")));
        placeImage(child, world.materials.back());
      }
      number(child);
    }
  }
  World::Paint paint(pugi::xml_node m) {
    if (!m)
      return plain;
    return {vectorOf(m, "diffuseColor", {0.8f, 0.8f, 0.8f}),
            vectorOf(m, "specularColor", {0, 0, 0}),
            vectorOf(m, "emissiveColor", {0, 0, 0}),
            floatOf(m, "ambientIntensity", 0.2f),
            floatOf(m, "shininess", 0.2f),
            floatOf(m, "transparency", 0),
            -1,
            {1, 0, 0},
            {0, 1, 0}};
  }
  void placeImage(pugi::xml_node appearance, World::Paint& p) {
    auto image = appearance.child("ImageTexture"), transform = appearance.child("TextureTransform");
    if (!image)
      return;
    p.image = (int)world.images.size();
    world.images.push_back(path.substr(0, path.rfind('/') + 1) + image.attribute("url").value());
    if (!transform)
      return;
    auto center = floatsOf(transform, "center", {0, 0}), by = floatsOf(transform, "translation", {0, 0});
    auto scale = floatsOf(transform, "scale", {1, 1});
    double angle = floatOf(transform, "rotation", 0);
    float sine = (float)std::sin(angle), cosine = (float)std::cos(angle), x = by[0] + center[0], y = by[1] + center[1];
    p.s = {scale[0] * cosine, -(scale[0] * sine), scale[0] * (cosine * x - sine * y) - center[0]};
    p.t = {scale[1] * sine, scale[1] * cosine, scale[1] * (sine * x + cosine * y) - center[1]};
  }
  pugi::xml_node source(pugi::xml_node node) {
    auto use = node.attribute("USE");
    return use ? defined.at(use.value()) : node;
  }
  Matrix matrixOf(pugi::xml_node node) {
    V3 center = vectorOf(node, "center", {0, 0, 0});
    auto turn = floatsOf(node, "scaleOrientation", {0, 0, 1, 0}), back = turn;
    back[3] = -turn[3];
    Matrix m = product(moved(vectorOf(node, "translation", {0, 0, 0})), moved(center));
    m = product(product(m, rotation(floatsOf(node, "rotation", {0, 0, 1, 0}).data())), rotation(turn.data()));
    m = product(m, scaled(vectorOf(node, "scale", {1, 1, 1})));
    return product(product(m, rotation(back.data())), moved(V3{-center.x, -center.y, -center.z}));
  }
  void shape(pugi::xml_node node, const Matrix& m) {
    int geometry = -1, material = 0;
    for (auto child : node.children()) {
      child = source(child);
      if (auto found = mesh_number.find(child.internal_object()); found != mesh_number.end())
        geometry = found->second;
      if (auto found = appearance_number.find(child.internal_object()); found != appearance_number.end())
        material = found->second;
    }
    if (geometry < 0)
      return;
    world.shapes.push_back({geometry, material, m});
    meshes[geometry].textured |= world.materials[material].image >= 0;
  }
  void graph(pugi::xml_node node, const Matrix& m) {
    for (auto child : node.children()) {
      child = source(child);
      std::string_view name = child.name();
      if (name == "Group")
        graph(child, product(m, kIdentity));
      else if (name == "Transform")
        graph(child, product(m, matrixOf(child)));
      else if (name == "Shape")
        shape(child, product(m, kIdentity));
      else if (name == "DirectionalLight")
        world.lamps.push_back({1, turned(m, vectorOf(child, "direction", {0, 0, -1})),
                               vectorOf(child, "color", {1, 1, 1}) * floatOf(child, "intensity", 1)});
      else if (name == "Viewpoint") {
        Matrix r = rotation(floatsOf(child, "orientation", {0, 0, 1, 0}).data());
        world.views.push_back({apply(m, vectorOf(child, "position", {0, 0, 10})), turned(m, turned(r, {0, 0, -1})),
                               turned(m, turned(r, {0, 1, 0})), floatOf(child, "fieldOfView", 0.785398f)});
      }
    }
  }
};

void boxOf(Mesh& m) {
  V3 size = vectorOf(m.node, "size", {2, 2, 2});
  for (int k = 0; k < 8; k++)
    m.points.push_back(
        {(k & 1 ? 0.5f : -0.5f) * size.x, (k & 2 ? 0.5f : -0.5f) * size.y, (k & 4 ? 0.5f : -0.5f) * size.z});
  for (int face = 0; face < 6; face++) {
    int axis = face >> 1, side = face & 1, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, o = side << axis;
    for (int corner : {o, side ? o | u : o | v, o | u | v, side ? o | v : o | u, -1})
      m.corners.push_back(corner);
  }
}

// The numbers of a mesh, and its faces.
void readMesh(Mesh& m) {
  if (m.node.name()[0] == 'B') {
    boxOf(m);
  } else {
    float v[3];
    int n = 0;
    numbers<float>(m.node.child("Coordinate").attribute("point").value(), [&](float x) {
      v[n++] = x;
      if (n == 3)
        m.points.push_back({v[0], v[1], v[2]}), n = 0;
    });
    int points = (int)m.points.size();
    numbers<int>(m.node.attribute("coordIndex").value(), [&](int k) {
      if (k < -1 || k >= points)
        std::fprintf(stderr, "peer: a wrong index\n"), std::exit(1);
      m.corners.push_back(k);
    });
  }
  for (int i = 0, n = (int)m.corners.size(); i < n; i++) {
    int begin = i;
    while (i < n && m.corners[i] >= 0)
      i++;
    if (i > begin)
      m.faces.push_back({begin, i - begin}), m.triangles += std::max(i - begin - 2, 0);
  }
}

// Normals and triangles of a mesh, to their places.
void finishMesh(Mesh& m, World& world) {
  size_t faces = m.faces.size();
  std::vector<V3> flat(faces), smooth;
  for (size_t f = 0; f < faces; f++) {
    auto [begin, count] = m.faces[f];
    V3 sum = {0, 0, 0}, from = m.points[m.corners[begin]], a = {0, 0, 0};
    for (int i = 1; i < count; i++) {
      V3 b = m.points[m.corners[begin + i]] - from;
      V3 p = {a.y * b.z, a.z * b.x, a.x * b.y}, q = {a.z * b.y, a.x * b.z, a.y * b.x};
      sum = sum + (p - q);
      a = b;
    }
    flat[f] = unit(sum);
  }
  float crease = floatOf(m.node, "creaseAngle", 0);
  if (crease > 0) {
    float least = std::cos(crease);
    std::vector<int> first(m.points.size() + 2), around(m.corners.size()), face_of(m.corners.size());
    for (int v : m.corners)
      if (v >= 0)
        first[v + 2]++;
    for (size_t v = 2; v < first.size(); v++)
      first[v] += first[v - 1];
    for (size_t f = 0; f < faces; f++)
      for (int i = m.faces[f].first; i < m.faces[f].first + m.faces[f].second; i++)
        around[first[m.corners[i] + 1]++] = i, face_of[i] = (int)f;
    smooth.resize(m.corners.size());
    for (size_t i = 0; i < m.corners.size(); i++) {
      int v = m.corners[i];
      if (v < 0)
        continue;
      V3 own = flat[face_of[i]], sum = own;
      for (int k = first[v]; k < first[v + 1]; k++)
        if (around[k] != (int)i && dot(own, flat[face_of[around[k]]]) >= least)
          sum = sum + flat[face_of[around[k]]];
      smooth[i] = unit(sum);
    }
  }
  std::copy(m.points.begin(), m.points.end(), world.points.begin() + m.point);
  size_t to = m.triangle;
  int base = (int)m.point;
  for (size_t f = 0; f < faces; f++)
    for (int k = m.faces[f].first, i = k + 1; i + 1 < k + m.faces[f].second; i++, to++) {
      world.triangles[to] = {base + m.corners[k], base + m.corners[i], base + m.corners[i + 1]};
      world.normals[to] =
          crease > 0 ? Corners{smooth[k], smooth[i], smooth[i + 1]} : Corners{flat[f], flat[f], flat[f]};
    }
}

float at(V3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Where a corner of a mesh without texture coordinates is in the image: on its side of a box, or in the box around all faces.
struct Mapping {
  V3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  int s = 0, t = 1;

  explicit Mapping(const Mesh& m) {
    for (int corner : m.corners)
      if (corner >= 0) {
        V3 p = m.points[corner];
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      }
    int axes[3] = {0, 1, 2};
    std::stable_sort(axes, axes + 3, [&](int a, int b) { return size(a) > size(b); });
    s = axes[0], t = axes[1];
  }
  float size(int axis) const { return at(high, axis) - at(low, axis); }
  std::pair<float, float> operator()(const Mesh& m, int face, int corner) const {
    V3 p = m.points[corner];
    if (m.node.name()[0] == 'B') {
      float x = (float)(corner & 1), y = (float)(corner >> 1 & 1), z = (float)(corner >> 2);
      float s[] = {z, 1 - z, x, x, 1 - x, x}, t[] = {y, y, z, 1 - z, y, y};
      return {s[face], t[face]};
    }
    return size(s) > 0 ? std::pair{(at(p, s) - at(low, s)) / size(s), (at(p, t) - at(low, t)) / size(s)}
                       : std::pair{0.0f, 0.0f};
  }
};

void mapMesh(Mesh& m, World& world) {
  Mapping mapping(m);
  size_t to = m.triangle;
  for (size_t f = 0; f < m.faces.size(); f++)
    for (int k = m.faces[f].first, i = k + 1; i + 1 < k + m.faces[f].second; i++, to++) {
      int slots[] = {k, i, i + 1};
      for (int c = 0; c < 3; c++)
        std::tie(world.texcoords[to].v[2 * c], world.texcoords[to].v[2 * c + 1]) =
            mapping(m, (int)f, m.corners[slots[c]]);
    }
}

template <class F> void inParallel(std::vector<Mesh>& meshes, int threads, F work) {
  std::atomic<size_t> next = 0;
  auto run = [&] {
    for (size_t i; (i = next++) < meshes.size();)
      work(meshes[i]);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; t++)
    others.emplace_back(run);
  run();
  for (auto& t : others)
    t.join();
}

void read(const char* path, World& world, int threads) {
  pugi::xml_document document;
  auto result = document.load_file(path);
  if (!result)
    std::fprintf(stderr, "peer: %s\n", result.description()), std::exit(1);
  Reader reader{world, path, {}, {}, {}, {}};
  world.materials.push_back(reader.plain);
  reader.number(document);
  reader.graph(document.child("X3D").child("Scene"), kIdentity);
  inParallel(reader.meshes, threads, readMesh);
  size_t points = 0, triangles = 0;
  for (Mesh& m : reader.meshes) {
    m.point = points;
    m.triangle = triangles;
    world.geometries.push_back({points, m.points.size(), triangles, m.triangles});
    points += m.points.size();
    triangles += m.triangles;
  }
  world.points.resize(points);
  world.triangles.resize(triangles);
  world.normals.resize(triangles);
  for (Mesh& m : reader.meshes)
    if (m.textured)
      world.texcoords.resize(triangles);
  inParallel(reader.meshes, threads, [&](Mesh& m) {
    finishMesh(m, world);
    if (m.textured)
      mapMesh(m, world);
  });
}

void line(FILE* f, const float* x, int n, const char* begin = "", const char* end = "") {
  std::fputs(begin, f);
  for (int i = 0; i < n; i++)
    std::fprintf(f, i + 1 == n ? "%.9g" : "%.9g ", x[i]);
  std::fprintf(f, *end ? " %s\n" : "%s\n", end);
}

void dump(const World& w, const char* path) {
  FILE* f = std::fopen(path, "w");
  std::fprintf(f, "points %zu\n", w.points.size());
  for (auto& p : w.points)
    line(f, &p.x, 3);
  std::fprintf(f, "triangles %zu\n", w.triangles.size());
  for (auto& t : w.triangles)
    std::fprintf(f, "%d %d %d\n", t.a, t.b, t.c);
  std::fprintf(f, "normals %zu\n", w.normals.size());
  for (auto& n : w.normals)
    line(f, &n.a.x, 9);
  std::fprintf(f, "texcoords %zu\n", w.texcoords.size());
  for (auto& t : w.texcoords)
    line(f, t.v, 6);
  std::fprintf(f, "colors 0\nlines 0\nline_colors 0\ngeometries %zu\n", w.geometries.size());
  for (auto& g : w.geometries)
    std::fprintf(f, "%zu %zu %zu %zu 0 0\n", g.point, g.points, g.triangle, g.triangles);
  std::fprintf(f, "shapes %zu\n", w.shapes.size());
  for (auto& s : w.shapes)
    line(f, &s.place.m[0][0], 12, (std::to_string(s.geometry) + " " + std::to_string(s.material) + " ").c_str());
  std::fprintf(f, "lamps %zu\n", w.lamps.size());
  for (auto& l : w.lamps)
    line(f, &l.at.x, 6, (std::to_string(l.kind) + " ").c_str());
  std::fprintf(f, "views %zu\n", w.views.size());
  for (auto& v : w.views)
    line(f, &v.at.x, 10);
  std::fprintf(f, "materials %zu\n", w.materials.size());
  for (auto& m : w.materials) {
    for (int i = 0; i < 12; i++)
      std::fprintf(f, "%.9g ", (&m.diffuse.x)[i]);
    line(f, &m.s.x, 6, "3 ", m.image < 0 ? "-" : w.images[m.image].c_str());
  }
  std::fclose(f);
}

// As examples/x3d's --sums: over all bits, each word times a number of its place.
template <class Item> void tellSum(const char* name, const std::vector<Item>& list) {
  static_assert(sizeof(Item) % sizeof(uint32_t) == 0);
  const char* bytes = reinterpret_cast<const char*>(list.data());
  uint64_t sum = 0, words = list.size() * (sizeof(Item) / sizeof(uint32_t));
  for (uint64_t i = 0; i < words; i++) {
    uint32_t word;
    std::memcpy(&word, bytes + i * sizeof word, sizeof word);
    sum += word * (i * 0x9e3779b97f4a7c15ull | 1);
  }
  std::printf("sum of %s: %llu %016llx\n", name, (unsigned long long)words, (unsigned long long)sum);
}

void tellSums(const World& w) {
  std::vector<std::array<int, 6>> geometries;
  for (auto& g : w.geometries)
    geometries.push_back({(int)g.point, (int)g.points, (int)g.triangle, (int)g.triangles, 0, 0});
  std::vector<uint32_t> shapes(14 * w.shapes.size());
  if (!shapes.empty())
    std::memcpy(shapes.data(), w.shapes.data(), 14 * w.shapes.size() * sizeof(uint32_t));
  tellSum("points", w.points);
  tellSum("triangles", w.triangles);
  tellSum("normals", w.normals);
  tellSum("texcoords", w.texcoords);
  for (auto name : {"colors", "lines", "line_colors"})
    tellSum(name, std::vector<int>());
  tellSum("geometries", geometries);
  tellSum("shapes", shapes);
  tellSum("lamps", w.lamps);
  tellSum("views", w.views);
}

int main(int argc, char** argv) {
  const char* arrays = nullptr;
  int repeat = 1, threads = argc > 2 ? std::atoi(argv[2]) : 1;
  bool sums = argc > 3 && std::strcmp(argv[argc - 1], "--sums") == 0;
  for (int i = 3; i + 1 < argc; i += 2)
    std::strcmp(argv[i], "--dump") == 0 ? (void)(arrays = argv[i + 1]) : (void)(repeat = std::atoi(argv[i + 1]));
  for (int round = 0; round < repeat; round++) {
    World world;
    auto start = std::chrono::steady_clock::now();
    read(argv[1], world, threads);
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    std::printf("%zu shapes, %zu geometries with %zu triangles, %zu vertices: read in %.1f ms\n", world.shapes.size(),
                world.geometries.size(), world.triangles.size(), world.points.size(), time.count() * 1e3);
    if (sums && round == repeat - 1)
      tellSums(world);
    if (arrays && round == repeat - 1)
      dump(world, arrays);
  }
}
