/**
 * What is wrong with a field of numbers, in words; undefined where it may be asked about. The server would
 * say so as well, but a request that must fail is one too many.
 */
export function wrongField(form: HTMLElement): string | undefined {
  const fields = [...form.querySelectorAll<HTMLInputElement>('input[type="number"], input[name="delta"]')];
  return fields
    .filter((field) => field.offsetParent !== null || field.closest('details:not([open])') !== null)
    .map(faultOf)
    .find((fault) => fault !== undefined);
}

function faultOf(field: HTMLInputElement): string | undefined {
  const { name, value, min, max, validity } = field;
  if (name === 'delta')
    return Number(value) > 0 && Number(value) < 1
      ? undefined
      : `δ is ${value === '' ? 'empty' : value}; expected more than 0 and less than 1, such as 1e-6.`;
  if (validity.valid) return undefined;
  if (name === 'liked' && value !== '')
    return `Likes from ${value} on would leave nothing: ratings go from ${min} to ${max}.`;
  const bounds = [min === '' ? '' : `from ${min}`, max === '' ? '' : `to ${max}`].filter(Boolean).join(' ');
  const given = validity.badInput ? 'not a number' : value === '' ? 'empty' : value;
  return `${name} is ${given}; expected a ${validity.stepMismatch ? 'whole ' : ''}number ${bounds}`
    .trim()
    .concat('.');
}
