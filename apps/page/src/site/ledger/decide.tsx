import { percentWords, posteriorOf, strengthOf } from '@hushrec/model/words';
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { Failure } from '../parts/drawn.js';
import { type Typed, typed } from '../parts/fields.js';
import { type GrantRequest, type RefuseRequest, send } from '../server-interface.js';

interface DecideProps {
  readonly dataset: string;
  readonly name: string;
  readonly granted: number | null;
  readonly done: () => void;
}

/** Grant and refuse, for operators: each needs a reason, which goes into the ledger. */
export function Decide({ dataset, name, granted, done }: DecideProps) {
  const epsilon = useSignal<Typed>({ text: String(granted ?? 3) });
  const reason = useRef<HTMLInputElement>(null);
  const problem = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const value = Number(epsilon.value.text);
  const isWrong = !(value > 0 && value < Infinity);
  const decide = async (what: 'grant' | 'refuse', body: GrantRequest | RefuseRequest) => {
    problem.value = undefined;
    if (body.note.trim().length < 3) {
      problem.value = new Error('Say why: the reason goes into the ledger.');
      reason.current!.focus();
      return;
    }
    isSending.value = true;
    await send(`/api/ledger/${encodeURIComponent(dataset)}/${what}`, body).then(done, (error: unknown) => {
      problem.value = error;
    });
    isSending.value = false;
    if (problem.value === undefined && reason.current !== null) reason.current.value = '';
  };
  const note = () => reason.current!.value;
  return (
    <form
      class="card"
      noValidate
      aria-label={`Decide for ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void decide('grant', { epsilon: value, note: note() });
      }}
    >
      <h2>{granted === null ? `Set a limit for ${name}` : 'Decide'}</h2>
      <p class="small quiet">Operators only. Each decision is a line in the ledger, with its reason.</p>
      <Fields epsilon={epsilon} reason={reason} value={value} isWrong={isWrong} />
      <p class="row">
        <button type="submit" disabled={isWrong || isSending.value}>
          {isWrong ? 'Grant' : `Grant ${value}`}
        </button>
        <button
          type="button"
          class="danger"
          disabled={isSending.value}
          onClick={() => void decide('refuse', { note: note() })}
        >
          Refuse all further runs
        </button>
      </p>
      <Failure of={problem.value} />
    </form>
  );
}

interface FieldsProps {
  readonly epsilon: Signal<Typed>;
  readonly reason: RefObject<HTMLInputElement | null>;
  readonly value: number;
  readonly isWrong: boolean;
}

/** The new grant with what it would mean, and the reason. */
function Fields({ epsilon, reason, value, isWrong }: FieldsProps) {
  return (
    <>
      <div class="decide-fields">
        <label class="field">
          New grant, ε
          <input type="number" min={0.01} step="any" class={isWrong ? 'wrong' : ''} {...typed(epsilon)} />
        </label>
        <label class="field">
          Reason
          <input
            ref={reason}
            type="text"
            maxLength={500}
            placeholder="Why people would agree"
            autocomplete="off"
          />
        </label>
      </div>
      <p class="small quiet" aria-live="polite">
        {isWrong
          ? 'ε must be above 0. Smaller protects more.'
          : `At ε = ${value}, 50% becomes at most ${percentWords(posteriorOf(0.5, value))}: ${strengthOf(value)}.`}
      </p>
    </>
  );
}
