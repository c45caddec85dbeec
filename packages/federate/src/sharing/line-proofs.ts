import { NONCE_BYTES, NormProof, type Prepared, RANDOM_BYTES, USUAL } from '@hushrec/norm-proof';
import { type CalibratedPlan, hmacSha256 } from '@hushrec/privacy';
import { hostKeyStream } from '@hushrec/privacy/recorder-parts';
import { concatBytes, utf8 } from '../bytes.js';
import type { ExchangePlan } from '../exchange-plan.js';
import { fineGrid, type LineShape, lineOf } from './sharing-line.js';

/**
 * What the proof of one line may tell beyond "no longer than the sensitivity": one of the tests fails with
 * probability 2e^(−8.7²) at most, for whatever honest vector.
 */
export const PROOF_DISTANCE = USUAL.tests * 2 * Math.exp(-(8.7 ** 2));

/** As the length of what is handed in is measured (`ExchangingRecorder`). */
const ROUNDING = 1 + 1e-10;

/** Of one line of one report. */
type PreparedLine = Pick<Prepared, 'message' | 'seeds'>;
/** Of a whole report; undefined where it cannot be read. */
export type PreparedReport = readonly PreparedLine[] | undefined;

/** Norm proofs of one exchange, line by line. */
export class LineProofs {
  readonly #proofs: readonly NormProof[];

  /** @throws RangeError where a line is too fine for proofs, or one of several parts */
  constructor({ lines, plan }: ExchangePlan) {
    this.#proofs = lines.map((shape) => lineProof(plan, shape));
  }

  /** Bytes of a report at each aggregator. */
  get reportBytes(): readonly [number, number] {
    const total = (which: 0 | 1) =>
      this.#proofs.reduce((sum, proof) => sum + proof.publicBytes + proof.shareBytes[which], 0);
    return [total(0), total(1)];
  }

  /** Bytes of what each aggregator sends the other of one report. */
  get messageBytes(): number {
    return this.#proofs.reduce((sum, { messageBytes }) => sum + messageBytes, 0);
  }

  /**
   * Shares of a report that is named `id`, by aggregator: the same again from the same numbers.
   *
   * @param secret 32 bytes for these numbers at this exchange alone
   */
  async split(
    lines: readonly Float64Array[],
    id: string,
    secret: Uint8Array,
  ): Promise<readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]> {
    const random = await hostKeyStream(secret, lines.length * RANDOM_BYTES);
    const splits = await Promise.all(
      this.#proofs.map((proof, at) =>
        proof.split(lines[at], nonceOf(id, at), random.subarray(at * RANDOM_BYTES, (at + 1) * RANDOM_BYTES)),
      ),
    );
    const report = (which: 0 | 1) =>
      concatBytes(splits.flatMap((split) => [split.public, split.shares[which]]));
    return [report(0), report(1)];
  }

  /** One aggregator's half of the check; undefined where a report cannot be read. */
  async prepare(key: Uint8Array, which: 0 | 1, id: string, report: Uint8Array): Promise<PreparedReport> {
    const lines: PreparedLine[] = [];
    try {
      for (const [line, { proof, shared, share }] of this.#parts(which, report).entries()) {
        const { message, seeds } = await proof.prepare(key, which, nonceOf(id, line), shared, share);
        lines.push({ message, seeds });
      }
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
    return lines;
  }

  /** What the other aggregator is told of a report: nothing but zeros where it cannot be read. */
  messageOf(prepared: PreparedReport): Uint8Array<ArrayBuffer> {
    if (prepared === undefined) return new Uint8Array(this.messageBytes);
    return concatBytes(prepared.map(({ message }) => message));
  }

  /** Whether all lines of a report are as short as they must be, by what the other aggregator tells. */
  async accepts(prepared: PreparedReport, which: 0 | 1, theirs: Uint8Array): Promise<boolean> {
    if (prepared === undefined) return false;
    let at = 0;
    for (const [line, proof] of this.#proofs.entries()) {
      const { message } = prepared[line];
      const other = theirs.subarray(at, at + proof.messageBytes);
      if (!(await proof.accepts(prepared[line], which === 0 ? [message, other] : [other, message])))
        return false;
      at += proof.messageBytes;
    }
    return true;
  }

  /** This aggregator's shares of the numbers of a report that was accepted, line by line. */
  values(which: 0 | 1, report: Uint8Array): Promise<BigUint64Array<ArrayBuffer>[]> {
    return Promise.all(this.#parts(which, report).map(({ proof, share }) => proof.values(which, share)));
  }

  #parts(which: 0 | 1, report: Uint8Array) {
    let at = 0;
    return this.#proofs.map((proof) => {
      const middle = at + proof.publicBytes;
      const end = middle + proof.shareBytes[which];
      const part = { proof, shared: report.subarray(at, middle), share: report.subarray(middle, end) };
      at = end;
      return part;
    });
  }
}

/** The proof of one line: its length in fine steps, entries beside the diagonal of a matrix counted twice. */
function lineProof(plan: CalibratedPlan, shape: LineShape): NormProof {
  const line = lineOf(plan, shape);
  // Each part alone could be as long as all of them together may be.
  if (shape.part > 0) throw new RangeError(`"${line.name}" comes in parts; a proof bounds a whole release.`);
  const bound = (line.sensitivity / fineGrid(line, shape.gridStep).step) * ROUNDING;
  const { length, width } = shape;
  return new NormProof({ length, bound, ...USUAL, ...(width > 1 && { twice: besideDiagonals(shape) }) });
}

/**
 * Most bytes of both shares of so many lines that have so many numbers together: at most 3,822 bits, two
 * proofs of them of 221 numbers, the proof of the length, seeds.
 */
export function mostProvedBytes(numbers: number, lines: number): number {
  const ofLength = 6 * Math.sqrt(2 * numbers * lines);
  return Math.ceil(8 * (numbers + ofLength + lines * (3822 + 2 * 221 + 8)) + 480 * lines);
}

/** Indices of packed upper triangles that are not on a diagonal. */
function besideDiagonals({ length, width }: LineShape): Uint32Array {
  const indices: number[] = [];
  let row = 0;
  let column = 0;
  for (let at = 0; at < length; at++) {
    if (row !== column) indices.push(at);
    if (++column === width) {
      row = (row + 1) % width;
      column = row;
    }
  }
  return Uint32Array.from(indices);
}

function nonceOf(id: string, line: number): Uint8Array {
  return hmacSha256(utf8('hushrec-proof-nonce-1'), JSON.stringify([id, line])).subarray(0, NONCE_BYTES);
}
