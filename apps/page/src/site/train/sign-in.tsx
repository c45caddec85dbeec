import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Failure } from '../parts/drawn.js';
import { tryToken } from '../server-interface.js';

/** Asks for the operator's token and keeps it for this tab. */
export function SignIn({ done }: { done: () => void }) {
  const token = useRef<HTMLInputElement>(null);
  const problem = useSignal<unknown>(undefined);
  const signIn = async () => {
    try {
      const role = await tryToken(token.current!.value.trim());
      if (role !== 'operator') throw new Error('This token may read but not train.');
      done();
      document.querySelector<HTMLElement>('#main')!.focus();
    } catch (error) {
      problem.value = error;
    }
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <h2>Operators only</h2>
      <p>
        Training spends privacy budget. Enter the operator token that the server printed when it started, or
        that stands in its token file.
      </p>
      <label class="field">
        Operator token
        <input ref={token} type="password" autocomplete="off" required name="token" />
        <span class="hint">Kept for this tab only.</span>
      </label>
      <button type="submit" class="primary">
        Sign in
      </button>
      <div aria-live="polite">
        <Failure of={problem.value} />
      </div>
    </form>
  );
}
