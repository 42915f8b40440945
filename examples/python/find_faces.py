"""The triangles around each vertex of a mesh: the first listing of the BSGP paper, as a function of Python.

Threads are sorted by their vertices in the middle of the function; their other variables follow.
"""

import numpy as np

import bsgp as bp


@bp.kernel
def find_faces(faces: bp.int32[:], heads: bp.int32[:], corners: bp.int32[:]):
    """faces: the triangles of vertex 0, then of vertex 1 ...; heads[v]: where those of v begin; corners: three vertices for each triangle."""
    with bp.spawn(len(corners)):
        face = bp.rank // 3
        vertex = corners[bp.rank]
        bp.sortby(vertex)
        with bp.require():
            owner = bp.empty(len(corners), bp.int32)
        faces[bp.rank] = face
        owner[bp.rank] = vertex
        bp.barrier()
        if bp.rank == 0 or owner[bp.rank - 1] != vertex:
            heads[vertex] = bp.rank


def grid(width, height):
    """The corners of the triangles of a grid of vertices."""
    y, x = np.mgrid[0 : height - 1, 0 : width - 1].astype(np.int32)
    a, b, c, d = (((y + j) * width + x + i).ravel() for j in (0, 1) for i in (0, 1))
    return np.stack([a, b, c, b, d, c], axis=1).astype(np.int32).ravel()


corners = grid(4, 3)
faces, heads = np.empty_like(corners), np.zeros(12, np.int32)
find_faces(faces, heads, corners)
for vertex, (begin, end) in enumerate(zip(heads, [*heads[1:], corners.size])):
    print(f"vertex {vertex}: triangles {' '.join(map(str, faces[begin:end]))}")

corners = grid(700, 500)
faces, heads = np.empty_like(corners), np.zeros(700 * 500, np.int32)
find_faces(faces, heads, corners)
order = np.argsort(corners, kind="stable")
print("as NumPy's:", np.array_equal(faces, order // 3) and np.array_equal(heads, np.unique(corners[order], return_index=True)[1]))
