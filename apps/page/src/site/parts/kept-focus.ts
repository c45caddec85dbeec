/**
 * Redrawing replaces the control that has the focus; these two put the focus back on the same item's control.
 */
export function focusedItem(): { readonly list: string; readonly item: string } | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-item]');
  if (!row) return undefined;
  return { list: listOf(row), item: row.dataset['item'] ?? '' };
}

export function restoreFocus(was: ReturnType<typeof focusedItem>): void {
  if (was === undefined) return;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-item]')].filter(
    (row) => row.dataset['item'] === was.item,
  );
  // A wide screen hides the phone's card, which may hold the same item: what is hidden takes no focus.
  const controls = rows
    .toSorted((a, b) => Number(listOf(b) === was.list) - Number(listOf(a) === was.list))
    .flatMap(
      (row) =>
        row.querySelector<HTMLElement>('input:checked') ??
        row.querySelector<HTMLElement>('input, button') ??
        [],
    )
    .filter((each) => each.checkVisibility());
  controls[0]?.focus({ preventScroll: true });
}

function listOf(row: HTMLElement): string {
  return row.parentElement?.getAttribute('aria-label') ?? row.getAttribute('aria-label') ?? '';
}
