import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type IconName, icon } from '../icons.js';
import { failure } from './states.js';

/** A place for what code makes that makes elements itself: an icon, a counter. */
export function Drawn({ node, class: name }: { node: Element; class?: string }): JSX.Element {
  return (
    <span
      class={name ?? 'drawn'}
      ref={(place) => {
        if (place?.firstChild !== node) place?.replaceChildren(node);
      }}
    />
  );
}

/** The same for a picture, drawn anew when one of the values changes that it is made of. */
export function Picture({ draw, of }: { draw: () => Element; of: readonly unknown[] }) {
  return <Drawn node={useMemo(draw, [...of])} />;
}

export function Icon({ name }: { name: IconName }) {
  return <Picture draw={() => icon(name)} of={[name]} />;
}

/** What went wrong, where anything did. */
export function Failure({ of: error, retry }: { of: unknown; retry?: () => void }) {
  return error === undefined ? null : <Picture draw={() => failure(error, retry)} of={[error]} />;
}

interface NoticeProps {
  readonly kind?: 'warn' | 'bad';
  readonly role?: 'alert';
  readonly children: ComponentChildren;
}

export function Notice({ kind = 'bad', role, children }: NoticeProps) {
  return (
    <p class={`notice ${kind} row`} role={role}>
      <Icon name="warn" />
      <span>{children}</span>
    </p>
  );
}
