// One report of so many numbers with a norm proof and without: bytes, and CPU of a device and of aggregators.

import { addUpWords, expandSeed, packWords } from '@hushrec/federate';
import {
  NONCE_BYTES,
  NormProof,
  RANDOM_BYTES,
  USUAL,
  VERIFY_KEY_BYTES,
  wholeNumbers,
} from '@hushrec/norm-proof';

const BOUND = 2 ** 20;
const RUNS = 20;
const random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export async function proofs(numbers = 80_000) {
  const values = Float64Array.from({ length: numbers }, (_, at) => ((at * 7919) % 2001) - 1000);
  const proof = new NormProof({ length: numbers, bound: BOUND, ...USUAL });
  console.log(`One report of ${numbers} numbers, mean of ${RUNS}:`);
  console.log('without proof', await measured(() => without(values)));
  console.log('with a proof ', await measured(() => proved(proof, values)));
}

/** Milliseconds of each step, after a run to warm up, and bytes. */
async function measured(run) {
  await run();
  let sums;
  for (let at = 0; at < RUNS; at++) {
    const { times, bytes } = await run();
    sums ??= { ...bytes, ...Object.fromEntries(Object.keys(times).map((key) => [key, 0])) };
    for (const [key, time] of Object.entries(times)) sums[key] += time / RUNS;
  }
  return Object.entries(sums)
    .map(([key, value]) => `${key} ${Number.isInteger(value) ? value : value.toFixed(1)}`)
    .join(', ');
}

async function without(values) {
  const size = 4;
  const seed = random(32);
  const times = {};
  let from = cpu();
  const step = (name) => {
    times[`${name} ms`] = cpu() - from;
    from = cpu();
  };
  const words = packWords(values, size);
  // Subtracted from the words, which is nothing beside making it.
  await expandSeed(seed, values.length, size);
  step('device');
  addUpWords([words], values.length, size);
  step('aggregator 0');
  addUpWords([await expandSeed(seed, values.length, size)], values.length, size);
  step('aggregator 1');
  return { times, bytes: { 'share 0 bytes': words.length, 'share 1 bytes': seed.length } };
}

async function proved(proof, values) {
  const key = random(VERIFY_KEY_BYTES);
  const nonce = random(NONCE_BYTES);
  const times = {};
  let from = cpu();
  const step = (name) => {
    times[`${name} ms`] = cpu() - from;
    from = cpu();
  };
  const split = await proof.split(values, nonce, random(RANDOM_BYTES));
  step('device');
  const first = await proof.prepare(key, 0, nonce, split.public, split.shares[0]);
  step('aggregator 0');
  const second = await proof.prepare(key, 1, nonce, split.public, split.shares[1]);
  step('aggregator 1');
  const messages = [first.message, second.message];
  for (const each of [first, second])
    if (!(await proof.accepts(each, messages))) throw new Error('An honest report was refused.');
  step('both verdicts');
  const sum = wholeNumbers(proof.add(first.values, second.values));
  if (sum.some((value, at) => value !== values[at])) throw new Error('Shares do not add up.');
  const [share0, share1] = split.shares.map(({ length }) => length + proof.publicBytes);
  return {
    times,
    bytes: { 'share 0 bytes': share0, 'share 1 bytes': share1, 'message bytes': proof.messageBytes },
  };
}
