import { element, listening } from '../build-element.js';
import type { SettingSummary } from '../server-interface.js';

/**
 * One hyper-parameter as a form field. Only fields a person changed are sent; the rest follow the method's
 * rules.
 */
export function settingField(key: string, setting: SettingSummary): HTMLElement {
  const field =
    setting.type === 'choice'
      ? element(
          'select',
          { name: key },
          (setting.choices ?? []).map((choice) =>
            element('option', { value: choice, selected: choice === setting.default }, choice),
          ),
        )
      : setting.type === 'boolean'
        ? element('input', { name: key, type: 'checkbox', checked: setting.default === true })
        : setting.type === 'numbers-by-name'
          ? element('input', { name: key, type: 'text', placeholder: 'name:number,name:number' })
          : element('input', {
              name: key,
              type: 'number',
              step: setting.type === 'integer' ? 1 : 'any',
              min: finite(setting.min),
              max: finite(setting.max),
              placeholder: String(setting.default),
            });
  listening(field, { input: () => (field.dataset['changed'] = field.value === '' ? 'no' : 'yes') });
  return element(
    'label',
    { class: 'field' },
    `${key} `,
    field,
    element('span', { class: 'hint' }, setting.description ?? ''),
  );
}

function finite(bound: number | undefined): number | undefined {
  return bound !== undefined && Number.isFinite(bound) && Math.abs(bound) < 1e15 ? bound : undefined;
}
