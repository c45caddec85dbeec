import { shownEpsilon } from '@hushrec/model/words';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { type Account, runsThatFit, spentAfter } from '../budget-plan.js';
import { Icon } from '../parts/drawn.js';
import { Segments } from '../parts/fields.js';

/** How often, as the table of cron says it: at three in the night. */
const schedules = { 52: '0 3 * * 1', 12: '0 3 1 * *', 4: '0 3 1 */3 *' } as const;

interface NextMonthsProps {
  /** Nothing where what was spent has no finite ε. */
  readonly own: Account | undefined;
  readonly dataset: string;
  readonly model: string;
  readonly children?: ComponentChildren;
}

/** What a year of runs would cost. Nothing is booked here. */
export function NextMonths({ own, dataset, model, children }: NextMonthsProps) {
  const each = useSignal('0.5');
  const often = useSignal<`${keyof typeof schedules}`>('12');
  const [epsilon, times] = [Number(each.value), Number(often.value)];
  const fit = own === undefined ? 0 : runsThatFit(own, epsilon, times);
  const fits = fit === times;
  return (
    <section class="card">
      <h2>Twelve more months</h2>
      <p class="small quiet">What would it cost? Nothing is booked here.</p>
      <h3>Each run</h3>
      <Segments
        label="Each run"
        choices={['0.25', '0.5', '1'].map((size) => [size, `ε = ${size}`] as const)}
        field={each}
      />
      <h3>How often</h3>
      <Segments
        label="How often"
        choices={[
          ['52', 'weekly'],
          ['12', 'monthly'],
          ['4', 'quarterly'],
        ]}
        field={often}
      />
      <p class={`notice row ${own === undefined ? '' : fits ? 'good' : 'bad'}`} aria-live="polite">
        <Icon name={fits ? 'check' : 'warn'} />
        {own === undefined ? (
          'What was spent has no finite ε, so no plan adds up.'
        ) : (
          <span>
            {`${times} runs at ε = ${epsilon} bring the account from ${shownEpsilon(own.spent, 3)} to `}
            <strong>{shownEpsilon(spentAfter(own, epsilon, times), 3)}</strong>
            {own.granted === null
              ? '.'
              : fits
                ? `. That fits the grant of ${own.granted}.`
                : `. ${fit} fit; the next would be refused, as the grant is ${own.granted}.`}
          </span>
        )}
      </p>
      {fits ? (
        <RefreshPlan
          key={`${each.value} ${often.value}`}
          line={`${schedules[often.value]} hushrec refresh ${dataset} --model models/${model} --epsilon ${epsilon}`}
        />
      ) : null}
      {children}
    </section>
  );
}

/**
 * A plan to be kept by the timer of the computer that trains: its line, to copy. It trains where ratings are
 * new, spends nothing where none are, and is refused where the grant would be exceeded.
 */
function RefreshPlan({ line }: { line: string }) {
  const isShown = useSignal(false);
  const copied = useSignal('');
  const code = useRef<HTMLElement>(null);
  const copy = () =>
    navigator.clipboard.writeText(line).then(
      () => {
        copied.value = 'Copied.';
      },
      () => getSelection()?.selectAllChildren(code.current!),
    );
  return (
    <div class="refresh-plan">
      <p>
        <button
          type="button"
          class="primary"
          onClick={() => {
            isShown.value = true;
          }}
        >
          Use as refresh plan
        </button>
      </p>
      {isShown.value ? (
        <>
          <p class="small">
            For the crontab of the computer that trains, in the folder of data and models. It trains where
            ratings are new, spends nothing where none are, and the grant refuses what is too much.
          </p>
          <p class="notice">
            <code ref={code}>{line}</code>
          </p>
          <p class="row">
            <button type="button" onClick={copy}>
              Copy
            </button>
            <span class="small quiet" role="status">
              {copied.value}
            </span>
          </p>
        </>
      ) : null}
    </div>
  );
}
