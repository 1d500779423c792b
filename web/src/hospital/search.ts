// Searching what is sorted, and the ids of a log.

/** How many of the sorted numbers are at most `x`. */
export function countUpTo(sorted: readonly number[], x: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Below 0 where the id `a` stands before `b`. Ids "n.i" are two whole numbers: 1.9 stands before 1.10. */
export function compareIds(a: string, b: string): number {
  const [n = 0, i = 0] = a.split(".").map(Number);
  const [m = 0, k = 0] = b.split(".").map(Number);
  return n - m || i - k;
}
