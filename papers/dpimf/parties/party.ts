import { readSettings } from '@hushrec/factorize';
import type { SharedSide } from '@hushrec/federate';
import {
  ContributorBudgetError,
  chargedRuns,
  chargeRun,
  type DurableFolder,
  MemoryFolder,
} from '@hushrec/federate';
import { type Csr, transpose } from '@hushrec/numerics';
import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type PrivacyRecord,
  type RecorderOptions,
  type ReleaseRecorder,
} from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { dpimf } from '../methods/dpimf.js';
import { type DpimfSettings, dpimfSchema, lossOf } from '../methods/dpimf-settings.js';
import {
  exactProfiles,
  type ProfilePass,
  printedPass,
  privatePass,
  type ReleasedPass,
  releasedPass,
} from '../methods/profile-passes.js';
import { solveProfiles } from '../methods/profile-solve.js';
import type { CoordinatorMessage, PartyMessage } from './messages.js';
import type { MessageHandler } from './transport.js';

/** What a party insists on before it takes part. */
export interface PartyPolicy {
  /**
   * Largest ε for one interaction over all sessions together. `Infinity` also allows protocols with nothing
   * proved (simulation).
   */
  readonly mostEpsilon: number;
}

type Invitation = Extract<CoordinatorMessage, { kind: 'invitation' }>;

interface Session {
  readonly id: string;
  readonly shared: SharedSide;
  readonly own: SharedSide;
  readonly settings: DpimfSettings;
  readonly contribution: 'sums' | 'profiles';
  readonly localRounds: number;
  readonly rounds: number;
  readonly recorder: ReleaseRecorder;
  readonly positives: Readonly<Record<SharedSide, Csr>>;
  next: number;
}

/**
 * One holder of interactions in federated implicit factorization (Ran et al. 2024, Algorithm 1, lines 5–11
 * and phase 3).
 *
 * The party's own recommender is trusted with its raw data; everyone else sees only what `handle` returns. It
 * draws its own noise, keeps its own record, charges every session to its own account, and refuses one whose
 * proved ε exceeds what its policy leaves. An interaction lies with one party, so the guarantee for single
 * interactions is each party's own, whatever the others do.
 *
 * Proved protocol: a round computes the own side's profiles from noised sums, then noised sums for the shared
 * side, both paid for in advance (see `dpimf`). Printed protocol: own profiles come from raw data; nothing is
 * proved.
 */
export class Party implements MessageHandler {
  readonly party: string;
  readonly #interactions: RatingMatrix;
  readonly #policy: PartyPolicy;
  readonly #noise: RecorderOptions;
  readonly #folder: DurableFolder;
  #considering: Promise<unknown> = Promise.resolve();
  #session: Session | undefined;
  #ownProfiles: Float64Array | undefined;
  #releasedOwnProfiles: Float64Array | undefined;
  #record: PrivacyRecord | undefined;

  /** `folder` keeps what was spent; in memory when absent, so that it is forgotten with the process. */
  constructor(
    party: string,
    interactions: RatingMatrix,
    policy: PartyPolicy,
    noise: RecorderOptions = {},
    folder: DurableFolder = new MemoryFolder(),
  ) {
    this.#folder = folder;
    this.party = party;
    this.#interactions = interactions;
    this.#policy = policy;
    this.#noise = noise;
  }

  /**
   * After `finish`: profiles of the party's own users or items, fitted on raw data. They never leave the
   * party.
   */
  get ownProfiles(): Float64Array | undefined {
    return this.#ownProfiles;
  }

  /**
   * The last round's profiles of the party's own users or items, fitted on noised sums: part of what the
   * session was paid for, so the party may publish them. Absent in the printed protocol, which noises the
   * shared side only.
   */
  get releasedOwnProfiles(): Float64Array | undefined {
    return this.#releasedOwnProfiles;
  }

  /** After `finish`: what was released, for the party's own certificate. */
  get record(): PrivacyRecord | undefined {
    return this.#record;
  }

  async handle(message: CoordinatorMessage): Promise<PartyMessage> {
    if (message.kind === 'invitation') {
      // One after the other: two invitations at a time must not both find the same budget.
      const answer = this.#considering.then(() => this.#consider(message));
      this.#considering = answer.catch(() => undefined);
      return answer;
    }
    const session = this.#session;
    if (session === undefined || session.id !== message.session)
      return this.#refuse(message.session, 'unknown-session');
    const rows = session.positives[session.shared].rowCount;
    if (message.profiles.length !== rows * session.settings.rank || !message.profiles.every(Number.isFinite))
      return this.#refuse(session.id, 'malformed');
    if (message.kind === 'finish') return this.#finish(session, message.profiles);
    // Answering a round twice would release twice what was paid for once.
    if (message.round !== session.next || message.round >= session.rounds)
      return this.#refuse(session.id, 'out-of-order');
    session.next++;
    try {
      return await this.#contribute(session, message.round, message.profiles);
    } catch {
      // Profiles that nobody fits (10^300) make systems singular. What failed read noised sums, so that
      // saying so tells nothing more.
      this.#session = undefined;
      return this.#refuse(session.id, 'malformed');
    }
  }

  async #consider(message: Invitation): Promise<PartyMessage> {
    const { shared, session, rounds, localRounds, contribution } = message;
    const positives = { user: this.#interactions.byUser, item: transpose(this.#interactions.byUser) };
    if (positives[shared].rowCount !== message.rows || rounds < 1 || localRounds < 1)
      return this.#refuse(session, 'malformed');
    const planned = this.#plan(message);
    if (planned === undefined) return this.#refuse(session, 'malformed');
    const { settings, calibrated } = planned;
    if (!(calibrated.epsilon <= this.#policy.mostEpsilon)) return this.#refuse(session, 'guarantee-too-weak');
    const refused = await this.#charge(session, calibrated);
    if (refused !== undefined) return this.#refuse(session, refused);
    const proved = Number.isFinite(calibrated.epsilon);
    if (settings.repaired && localRounds !== 1) return this.#refuse(session, 'malformed');
    this.#releasedOwnProfiles = undefined;
    this.#record = undefined;
    this.#session = {
      id: session,
      shared,
      own: shared === 'item' ? 'user' : 'item',
      settings,
      contribution,
      localRounds,
      rounds,
      recorder: createRecorder(calibrated, { ...this.#noise, job: `${session}/${this.party}` }),
      positives,
      next: 0,
    };
    const { unit, relation, delta } = calibrated;
    return {
      kind: 'accepted',
      session,
      party: this.party,
      guarantee: { unit, relation, epsilon: proved ? calibrated.epsilon : null, delta },
    };
  }

  /** What an invitation would come to; undefined for settings or a budget that nothing can be planned for. */
  #plan({ settings: given, shared, rounds, localRounds, epsilon }: Invitation) {
    try {
      const settings = readSettings(dpimfSchema, { ...given, side: shared, rounds: rounds * localRounds });
      const { scale, itemCount } = this.#interactions;
      const plan = dpimf.plan(settings, { scale, itemCount, epsilon, delta: 0, features: [] });
      return { settings, calibrated: calibrate(plan, { epsilon, delta: 0 }) };
    } catch {
      return undefined;
    }
  }

  /**
   * Charges a session to the party's own account, durably, before it is accepted. ε of all sessions add up,
   * also of those that broke off. A session that was accepted once is not begun again: its rounds would be
   * released twice.
   */
  async #charge(
    session: string,
    plan: CalibratedPlan,
  ): Promise<'guarantee-too-weak' | 'out-of-order' | undefined> {
    const { epsilon } = plan;
    if ((await chargedRuns(this.#folder)).some(({ charter }) => charter === session)) return 'out-of-order';
    // Without anything proved there is nothing to count; a policy of Infinity asked for that.
    if (!Number.isFinite(epsilon)) return undefined;
    try {
      const at = new Date().toISOString();
      await chargeRun(this.#folder, { charter: session, epsilon, delta: 0, at }, this.#policy.mostEpsilon);
      return undefined;
    } catch (error) {
      if (error instanceof ContributorBudgetError) return 'guarantee-too-weak';
      throw error;
    }
  }

  async #contribute(session: Session, round: number, profiles: Float64Array): Promise<PartyMessage> {
    const { recorder, shared, own, positives, settings } = session;
    const passOf = (side: SharedSide, otherProfiles: Float64Array): ProfilePass => ({
      recorder,
      side,
      positives: positives[side],
      otherProfiles,
      settings,
      coins: round,
    });
    if (!settings.repaired) {
      let current = profiles;
      for (let pass = 0; pass < session.localRounds; pass++) {
        const exact = exactProfiles(positives[own], current, settings);
        current = await printedPass(passOf(shared, exact));
      }
      return this.#profiles(session, round, current);
    }
    const ownProfiles = await privatePass(passOf(own, profiles));
    const released = await releasedPass(passOf(shared, ownProfiles));
    this.#releasedOwnProfiles = ownProfiles;
    if (session.contribution === 'profiles')
      return this.#profiles(session, round, solved(released, settings));
    const { sums, gramian, columns } = released;
    return { kind: 'sums', session: session.id, party: this.party, round, ...sums, gramian, columns };
  }

  #finish(session: Session, profiles: Float64Array): PartyMessage {
    this.#ownProfiles = this.#rawFit(session, profiles);
    if (session.next === session.rounds) this.#record = session.recorder.finish();
    this.#session = undefined;
    return { kind: 'finished', session: session.id, party: this.party };
  }

  /**
   * Fitted on raw data and kept here. Whether that can be done may depend on the data, so that nobody else is
   * told when it cannot.
   */
  #rawFit({ positives, own, settings }: Session, profiles: Float64Array): Float64Array | undefined {
    try {
      return exactProfiles(positives[own], profiles, settings);
    } catch {
      return undefined;
    }
  }

  #profiles(session: Session, round: number, profiles: Float64Array): PartyMessage {
    return { kind: 'profiles', session: session.id, party: this.party, round, profiles };
  }

  #refuse(session: string, reason: Extract<PartyMessage, { kind: 'refused' }>['reason']): PartyMessage {
    return { kind: 'refused', session, party: this.party, reason };
  }
}

function solved({ sums, gramian, columns }: ReleasedPass, settings: DpimfSettings): Float64Array {
  return solveProfiles(sums, gramian, columns, lossOf(settings));
}
