/**
 * Loads one word of every cache line of the rows that the next panel will gather. Tables of people's vectors
 * are larger than the caches; a loop of nothing but loads has many misses under way at once, where the gather
 * itself has few. Returns a number that depends on all of them, so that no compiler leaves the loads out.
 */
export function touchRows(table: usize, bytes: usize, indices: usize, count: i32): u32 {
  let seen: u32 = 0;
  const end = indices + (<usize>count << 2);
  for (; indices < end; indices += 4) {
    const row = table + <usize>load<u32>(indices) * bytes;
    for (let line: usize = 0; line < bytes; line += 64) seen ^= load<u32>(row + line);
  }
  return seen;
}
