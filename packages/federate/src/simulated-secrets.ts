import { hmacSha256 } from '@hushrec/privacy';

/**
 * What a role of a simulation keeps secret, from the simulation's seed: the same each time, and known to
 * whoever knows the seed. Noise and masks that follow from it protect nobody. A role is named by its place,
 * `aggregator 0` or `participant 3`, so that a simulation gives the same sums however its roles are started.
 */
export function simulatedSecret(seed: number, role: string): Uint8Array {
  return hmacSha256(new Uint8Array(32), JSON.stringify(['simulated secret', seed, role]));
}

/**
 * Who is there at an exchange where a share of participants is absent, others each time. Drawn for each
 * participant and exchange by itself, so that the order in which it is asked does not matter.
 */
export function simulatedPresence(
  seed: number,
  absent: number,
): (participant: number, exchange: number) => boolean {
  const secret = simulatedSecret(seed, 'absence');
  return (participant, exchange) => {
    const { buffer } = hmacSha256(secret, JSON.stringify([participant, exchange])).slice();
    return new DataView(buffer).getUint32(0) / 2 ** 32 >= absent;
  };
}
