import type { SharedSide } from '@hushrec/federate';
import type { PrivacyUnit, Relation } from '@hushrec/privacy';

/**
 * Everything that crosses between a coordinator and a party, as plain data (numbers, strings, typed arrays),
 * so that any transport that can carry structured clones can stand between them.
 */

/**
 * Whose profiles the parties have in common: items (each party has users of its own) or users (items of its
 * own).
 */

export type CoordinatorMessage =
  /** Offers a session. The party plans and calibrates its own noise, and may refuse. */
  | {
      readonly kind: 'invitation';
      readonly session: string;
      readonly shared: SharedSide;
      /** Number of shared items or users; their order is agreed beforehand. */
      readonly rows: number;
      readonly rounds: number;
      /** Passes over the party's data within a round; 1 unless the printed protocol is asked for. */
      readonly localRounds: number;
      readonly epsilon: number;
      readonly settings: Readonly<Record<string, number | string | boolean>>;
      readonly contribution: 'sums' | 'profiles';
    }
  /** One round: the current shared profiles, rows × rank. */
  | {
      readonly kind: 'round';
      readonly session: string;
      readonly round: number;
      readonly profiles: Float64Array;
    }
  /** The last shared profiles; the party fits its own side to them and keeps the result. */
  | { readonly kind: 'finish'; readonly session: string; readonly profiles: Float64Array };

/** What a party promises its people for the whole session. ε is `null` where nothing is proved. */
export interface PartyGuarantee {
  readonly unit: PrivacyUnit;
  readonly relation: Relation;
  readonly epsilon: number | null;
  readonly delta: number;
}

export type PartyMessage =
  | {
      readonly kind: 'accepted';
      readonly session: string;
      readonly party: string;
      readonly guarantee: PartyGuarantee;
    }
  /** Noised sums that add up over parties. */
  | {
      readonly kind: 'sums';
      readonly session: string;
      readonly party: string;
      readonly round: number;
      readonly linear: Float64Array;
      readonly quadratic: Float64Array;
      readonly counts: Float64Array;
      readonly gramian: Float64Array;
      readonly columns: number;
    }
  /** Profiles solved by the party from its own noised sums. */
  | {
      readonly kind: 'profiles';
      readonly session: string;
      readonly party: string;
      readonly round: number;
      readonly profiles: Float64Array;
    }
  | { readonly kind: 'finished'; readonly session: string; readonly party: string }
  /** Says why in words that reveal nothing about the data. */
  | {
      readonly kind: 'refused';
      readonly session: string;
      readonly party: string;
      readonly reason: 'guarantee-too-weak' | 'unknown-session' | 'out-of-order' | 'malformed';
    };

/** A message that does not fit the protocol: whose, and what was expected. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly kind = 'data';
  readonly party: string;
  constructor(party: string, expected: string) {
    super(`Party "${party}" broke the protocol: expected ${expected}. Leave it out, or check its version.`);
    this.party = party;
  }
}
