import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

const count = new Intl.NumberFormat('en');

/** A field: what stands in it, and what is wrong with that in words. */
export interface Typed {
  readonly text: string;
  readonly fault?: string | undefined;
}

type Typing = { readonly currentTarget: HTMLInputElement | HTMLSelectElement };

/** Attributes of a field and a signal that follow each other; empty, it may show what else is meant. */
export function typed(field: Signal<Typed>, shown = field.value.text) {
  return {
    value: shown,
    onInput: ({ currentTarget }: Typing) => {
      const { value } = currentTarget;
      field.value = { text: value, fault: faultOf(currentTarget) };
    },
  };
}

/** The same of a switch. */
export function switched(field: Signal<boolean>) {
  return {
    type: 'checkbox' as const,
    role: 'switch' as const,
    checked: field.value,
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      field.value = currentTarget.checked;
    },
  };
}

function faultOf(field: HTMLInputElement | HTMLSelectElement): string | undefined {
  if (field.validity.valid || field instanceof HTMLSelectElement) return undefined;
  const { name, value, min, max, validity } = field;
  const given = validity.badInput ? 'not a number' : value === '' ? 'empty' : value;
  const bounds = `${min === '' ? '' : ` from ${min}`}${max === '' ? '' : ` to ${max}`}`;
  return `${name} is ${given}; expected a ${validity.stepMismatch ? 'whole ' : ''}number${bounds}.`;
}

interface AmountProps {
  readonly label: string;
  readonly name?: string;
  readonly field: Signal<Typed>;
  readonly min: number;
  readonly max: number;
  /** Where the slider begins and ends. */
  readonly ends?: readonly [number, number];
  readonly slides: string;
  readonly wrong?: string | undefined;
  /** What lies under the slider. */
  readonly children?: ComponentChildren;
}

/** A number to type, and a slider by powers, which follow each other; what cannot be is said beside it. */
export function Amount({ label, name, field, min, max, ends, slides, wrong, children }: AmountProps) {
  const [least, most] = ends ?? [min, max];
  const { text, fault } = field.value;
  const share = Math.log(Number(text) / least) / Math.log(most / least);
  return (
    <div class="step">
      <label class="row spread short">
        <strong>{label}</strong>
        <input
          type="number"
          name={name ?? label}
          {...{ min, max }}
          step="any"
          required
          class={fault === undefined ? '' : 'wrong'}
          {...typed(field)}
        />
      </label>
      <div class={children === undefined ? '' : 'sliding'}>
        {children}
        <input
          type="range"
          min={0}
          max={1}
          step="any"
          aria-label={slides}
          aria-valuetext={count.format(Number(text))}
          value={share > 0 ? Math.min(1, share) : 0}
          onInput={({ currentTarget }) => {
            const there = least * (most / least) ** Number(currentTarget.value);
            field.value = { text: String(Number(there.toPrecision(2))) };
          }}
        />
      </div>
      <p class="small" role="alert">
        {fault === undefined
          ? ''
          : (wrong ?? `Type a number from ${count.format(min)} to ${count.format(max)}.`)}
      </p>
    </div>
  );
}

interface SegmentsProps<Value> {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, name: string])[];
  readonly field: Signal<Value>;
}

/** A few choices beside each other, one of them taken. */
export function Segments<Value extends string>({ label, choices, field }: SegmentsProps<Value>) {
  const group = useId();
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {choices.map(([value, name]) => (
        <label key={value}>
          <input
            type="radio"
            name={group}
            value={value}
            checked={value === field.value}
            onChange={() => {
              field.value = value;
            }}
          />
          {name}
        </label>
      ))}
    </div>
  );
}
