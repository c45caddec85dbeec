import { describe, expect, it } from 'vitest';
import { lossSource } from './loss-source.js';

/** E[(1 − γe^(−L))₊] of a list of atoms. */
const hockeyStick = (atoms: readonly { loss: number; mass: number }[], gamma: number): number =>
  atoms.reduce((sum, { loss, mass }) => sum + mass * Math.max(0, 1 - gamma * Math.exp(-loss)), 0);
const listed = (event: Parameters<typeof lossSource>[0]) => {
  const { losses, masses } = lossSource(event, 'remove')!.atoms;
  return Array.from(losses, (loss, atom) => ({ loss, mass: masses[atom] }));
};

describe('losses', () => {
  it('have total mass one, and so has the other side of the pair', () => {
    const t = 64;
    const atoms = listed({ kind: 'laplace', sensitivity: 1.5, noise: 1, gridScale: t });
    expect(atoms.reduce((sum, { mass }) => sum + mass, 0)).toBeCloseTo(1, 12);
    expect(atoms.reduce((sum, { loss, mass }) => sum + mass * Math.exp(-loss), 0)).toBeCloseTo(1, 12);
  });

  it('of discrete Laplace noise meet the continuous curve 1 − √γ e^(−c/2) at their atoms', () => {
    const atoms = listed({ kind: 'laplace', sensitivity: 1.5, noise: 1, gridScale: 64 });
    for (const { loss } of atoms) {
      expect(hockeyStick(atoms, Math.exp(loss))).toBeCloseTo(1 - Math.exp((loss - 1.5) / 2), 11);
    }
  });

  // docs/privacy/accounting.md proves this for the continuous law; here the discrete one, exhaustively on
  // small shifts.
  it('of a Laplace shift spread over two coordinates are dominated by those of the whole shift in one', () => {
    for (const t of [2, 16]) {
      const shifted = (steps: number) =>
        listed({ kind: 'laplace', sensitivity: steps / t, noise: 1, gridScale: t });
      for (const [a, b] of [
        [1, 1],
        [1, 7],
        [4, 4],
        [3, 20],
        [16, 16],
      ] as const) {
        const product = shifted(a).flatMap((x) =>
          shifted(b).map((y) => ({ loss: x.loss + y.loss, mass: x.mass * y.mass })),
        );
        const whole = shifted(a + b);
        for (let i = -40; i <= 40; i++) {
          const gamma = Math.exp(((a + b) / t) * (i / 40));
          expect(hockeyStick(product, gamma)).toBeLessThanOrEqual(hockeyStick(whole, gamma) + 1e-12);
        }
      }
    }
  });
});
