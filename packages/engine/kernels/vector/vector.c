/* Dot products of a query with rows of bytes, four rows at a time: they share what is loaded. */
#include "kernel.h"

#define ROWS 4

/* Components of the query: codes of 16 bits, or bytes of a row. */
typedef enum { BYTES = 1, CODES = 2 } Width;

/* Eight signed bytes as lanes of 16 bits. */
INLINE v128 lanes(i32 at, i32 offset) { return wasm_i16x8_load8x8(U8(at) + offset); }

/* Eight components of the query from `offset` on. */
INLINE v128 queryLanes(const Width width, i32 query, i32 offset) {
  return width == CODES ? V128(query)[offset / 8] : lanes(query, offset);
}

/* Adds products of 16 components, `offset` bytes further, to the sums of the rows. */
INLINE void addSixteen(const i32 n, v128 *sums, const i32 *rows, i32 query, i32 offset,
                       const Width width) {
  v128 a = queryLanes(width, query, offset), b = queryLanes(width, query, offset + 8);
  EACH (r, n) {
    sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(lanes(rows[r], offset), a));
    sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(lanes(rows[r], offset + 8), b));
  }
}

/* Adds products of `bytes` components, a multiple of 16. */
INLINE void addRow(const i32 n, v128 *sums, i32 *rows, i32 query, i32 bytes, const Width width) {
  i32 end = query + (bytes & -32) * width;
  while (query != end) {
    addSixteen(n, sums, rows, query, 0, width);
    addSixteen(n, sums, rows, query, 16, width);
    query += 32 * width;
    EACH (r, n) rows[r] += 32;
  }
  if (bytes & 16) addSixteen(n, sums, rows, query, 0, width);
}

INLINE v128 addPairs(v128 a, v128 b) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
}

/* Writes the sum of the lanes of each row. */
INLINE void writeSums(const i32 n, const v128 *sums, i32 *dots) {
  if (n == 1) {
    *dots = wasm_i32x4_extract_lane(sums[0], 0) + wasm_i32x4_extract_lane(sums[0], 1) +
            wasm_i32x4_extract_lane(sums[0], 2) + wasm_i32x4_extract_lane(sums[0], 3);
    return;
  }
  v128 a = addPairs(sums[0], sums[1]), b = addPairs(sums[2], sums[3]);
  *V128(dots) =
      wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 1, 4, 5), wasm_i32x4_shuffle(a, b, 2, 3, 6, 7));
}

/* Dots of n rows that lie behind one another. */
INLINE void dotRows(const i32 n, i32 first, i32 row, i32 query, i32 *dots) {
  v128 sums[ROWS];
  i32 rows[ROWS];
  EACH (r, n) sums[r] = ZERO, rows[r] = first + r * row;
  addRow(n, sums, rows, query, row, CODES);
  writeSums(n, sums, dots);
}

/* dots: of `count` rows of `row` bytes that lie behind one another. */
EXPORT(dots) void dots(i32 rows, i32 count, i32 row, i32 query, i32 *dots) {
  for (; count >= ROWS; count -= ROWS, rows += ROWS * row, dots += ROWS)
    dotRows(ROWS, rows, row, query, dots);
  for (; count >= 1; count--, rows += row, dots++) dotRows(1, rows, row, query, dots);
}

/* A plane: the rows of all vectors, `bytes` each, and the components of the query for them. */
typedef struct {
  i32 rows, bytes, query;
} Plane;

/* Dots of n listed rows over one or two planes. */
INLINE void dotListed(const i32 n, const i32 planes, const Plane *plane, const i32 *list,
                      const Width width, i32 *dots) {
  v128 sums[ROWS];
  i32 rows[ROWS];
  EACH (r, n) sums[r] = ZERO;
  EACH (p, planes) {
    EACH (r, n) rows[r] = plane[p].rows + list[r] * plane[p].bytes;
    addRow(n, sums, rows, plane[p].query, plane[p].bytes, width);
  }
  writeSums(n, sums, dots);
}

INLINE void dotList(const i32 planes, const Plane *plane, const i32 *list, i32 count,
                    const Width width, i32 *dots) {
  for (; count >= ROWS; count -= ROWS, list += ROWS, dots += ROWS)
    dotListed(ROWS, planes, plane, list, width, dots);
  for (; count >= 1; count--, list++, dots++) dotListed(1, planes, plane, list, width, dots);
}

/* dotsOf: of the rows that are listed. */
EXPORT(dotsOf) void dotsOf(i32 rows, i32 *list, i32 count, i32 row, i32 query, i32 *dots) {
  const Plane plane = {rows, row, query};
  dotList(1, &plane, list, count, CODES, dots);
}

/* wholeDotsOf: of the vectors that are listed, whose rows lie in two planes. */
EXPORT(wholeDotsOf)
void wholeDotsOf(i32 heads, i32 tails, i32 *list, i32 count, i32 head, i32 tail, i32 query,
                 i32 rest, i32 *dots) {
  const Plane planes[] = {{heads, head, query}, {tails, tail, rest}};
  dotList(2, planes, list, count, CODES, dots);
}

/* rowDotsOf: the same for a query of bytes. */
EXPORT(rowDotsOf)
void rowDotsOf(i32 heads, i32 tails, i32 *list, i32 count, i32 head, i32 tail, i32 query, i32 rest,
               i32 *dots) {
  const Plane planes[] = {{heads, head, query}, {tails, tail, rest}};
  dotList(2, planes, list, count, BYTES, dots);
}
