/** Bytes that readers stumble over: marks of encodings, ends of lines, quotes, large numbers, magic words. */
const troubles = [
  '\ufeff',
  '\0',
  '\r',
  '\n',
  '\r\n',
  '"',
  '""',
  ',',
  '::',
  '\t',
  ';',
  '1e999',
  '-1',
  '_',
  'NaN',
  '9'.repeat(30),
  '\u2028',
  '\ud83d\ude00',
  'PAR1',
  'PK\x05\x06',
  '{}',
  'null',
].map((text) => Buffer.from(text));
const rawTroubles = [
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xfe, 0xff]),
  Buffer.from([0xc3]),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xff, 0xff, 0xff, 0x7f]),
  Buffer.from([0x80, 0x80, 0x80, 0x80, 0x08]),
  Buffer.alloc(16),
];

/**
 * Damages a copy: bits, bytes, cuts, repeats, moved blocks and bytes that mean trouble, one to eight of them.
 */
export function mutated(bytes, random) {
  let copy = Buffer.from(bytes);
  const count = random.chance(0.5) ? 1 : 1 + random.below(8);
  for (let k = 0; k < count; k++) copy = mutatedOnce(copy, random);
  return copy;
}

function mutatedOnce(bytes, random) {
  const at = random.below(bytes.length + 1);
  const length = 1 + random.below(random.chance(0.7) ? 8 : Math.max(1, bytes.length));
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  switch (random.below(8)) {
    case 0:
    case 1:
      if (at < bytes.length) bytes[at] ^= 1 << random.below(8);
      return bytes;
    case 2:
      if (at < bytes.length) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, 0x20, random.below(256)]);
      return bytes;
    case 3:
      return before;
    case 4:
      return Buffer.concat([before, after.subarray(length)]);
    case 5:
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 6:
      return Buffer.concat([before, random.pick(troubles), after]);
    default: {
      const mark = random.pick(rawTroubles);
      return Buffer.concat([before, mark, random.chance(0.5) ? after : after.subarray(mark.length)]);
    }
  }
}
