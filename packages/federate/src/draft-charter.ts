import { type Method, readSettings, refuseIdle } from '@hushrec/factorize';
import { checkStrength } from '@hushrec/model/making';
import { calibrate, type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';
import { toHex } from './bytes.js';
import type { Card } from './card.js';
import {
  type Admission,
  type Charter,
  charterHash,
  charterWordBytes,
  faultInCharter,
  mostExchanges,
  noiseOnLook,
  noiseOnSum,
  type Pace,
  type SignedCharter,
} from './charter.js';
import { CharterError } from './federation-errors.js';
import { dryRun, methodNamed, type PublicKnowledge } from './participant.js';

/** What the writer of a charter decides; everything else follows. */
export interface CharterRequest {
  readonly method: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  /** Public figure for the number of people, for the method's own rules; `mostPeople` when absent. */
  readonly declaredPeople?: number;
  readonly catalogue: Charter['catalogue'];
  readonly coordinator: Card;
  readonly aggregators: readonly Card[];
  readonly noise: Charter['noise'];
  readonly mostPeople: number;
  readonly leastReports: number;
  readonly pace: Pace | ((exchanges: number) => Pace);
  readonly admission: Admission;
  readonly codeVersion: string;
  readonly kernel?: Charter['kernel'];
  readonly publicSeed?: number;
  readonly run?: string;
  readonly simulation?: true;
  /** Part of the privacy that is set aside for looks at reports; none when absent. */
  readonly screening?: number;
  /** Reports prove that they are as short as one person's can be; two aggregators. */
  readonly normProofs?: boolean;
  /** An ε above 20, or a δ above 1/(10 × `mostPeople`), is meant. */
  readonly acceptWeak?: boolean;
}

/**
 * Writes a charter from public knowledge alone: settings by the method's rules for the noise that will lie on
 * the sums (more than one curator's where several add it), the plan for the ε that is promised, the exchanges
 * by a dry run.
 *
 * @throws WeakGuaranteeError where next to nothing would be promised and nobody said that this is meant;
 * CharterError
 */
export async function draftCharter(
  request: CharterRequest,
  knowledge: PublicKnowledge,
): Promise<SignedCharter> {
  const method = methodNamed(request.method, knowledge);
  checkRequest(request, method);
  const { epsilon, delta, catalogue } = request;
  const shape = {
    itemCount: catalogue.itemCount,
    scale: catalogue.scale,
    epsilon,
    delta,
    features: knowledge.features ?? [],
  };
  const partial = asRequested(request, method.id);
  const onSum = noiseOnSum(partial);
  // The method's own rules are told the noise that will lie on the sums; what they would give anyway is no
  // wish of the writer's.
  const asRuled = {
    ...shape,
    epsilon: epsilonOfMoreNoise(epsilon, delta, onSum),
    declaredPeople: request.declaredPeople ?? request.mostPeople,
  };
  const wished = request.settings ?? {};
  const settings = readSettings(method.settings, { ...method.suggest?.(asRuled, wished), ...wished });
  refuseIdle(method, settings, wished, asRuled);
  const plan = calibrate(method.plan(settings, shape), { epsilon, delta });
  const { exchanges } = await dryRun({ ...partial, settings, plan }, knowledge);
  const charter: Charter = {
    ...partial,
    settings,
    plan,
    exchanges,
    wordBytes: charterWordBytes(
      plan,
      exchanges,
      request.mostPeople,
      onSum,
      noiseOnLook(partial),
      request.normProofs,
    ),
    pace:
      typeof request.pace === 'function' ? request.pace(mostExchanges({ plan, exchanges })) : request.pace,
  };
  const fault = faultInCharter(charter);
  if (fault !== undefined) throw new CharterError(fault, 'Change what was asked for.');
  return { charter, hash: await charterHash(charter), signatures: [] };
}

/** That it protects people, and promises something. */
function checkRequest(request: CharterRequest, method: Method): void {
  const { epsilon, delta, screening } = request;
  if (!method.protects.some(({ unit }) => unit === 'user'))
    throw new CharterError(
      `method ${method.id} does not protect people.`,
      'Choose one that does (`hushrec methods`).',
    );
  if (screening !== undefined && !(screening > 0 && screening <= 0.5))
    throw new CharterError(
      `"screening" is ${screening}; expected a part of the privacy, above 0 and at most 0.5.`,
      'The usual part is 0.05.',
    );
  checkStrength({
    epsilon,
    delta,
    declaredPeople: request.mostPeople,
    acceptWeak: request.acceptWeak === true || request.simulation === true,
    nothing: 'written',
  });
}

/** What stands in a charter as it was asked for, or at random. */
function asRequested(request: CharterRequest, method: string) {
  return {
    format: 'hushrec-charter-2',
    run: request.run ?? toHex(crypto.getRandomValues(new Uint8Array(16))),
    method,
    codeVersion: request.codeVersion,
    kernel: request.kernel ?? 'simd',
    catalogue: request.catalogue,
    publicSeed: request.publicSeed ?? crypto.getRandomValues(new Uint32Array(1))[0],
    coordinator: request.coordinator,
    aggregators: request.aggregators,
    noise: request.noise,
    mostPeople: request.mostPeople,
    leastReports: request.leastReports,
    admission: request.admission,
    ...(request.simulation && { simulation: true as const }),
    ...(request.screening !== undefined && { screening: request.screening }),
    ...(request.normProofs && { normProofs: true as const }),
  } as const;
}

/** The ε that one curator would promise with `factor` times the noise: what quality to reckon with. */
function epsilonOfMoreNoise(epsilon: EpsilonInput, delta: DeltaInput, factor: number): number {
  if (factor === 1 || !(delta > 0) || !Number.isFinite(epsilon)) return epsilon;
  return gaussianEpsilon(muFor(epsilon, delta) / factor, delta);
}
