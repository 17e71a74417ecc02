import { mayCall } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { countrySetEndpoints } from '../../../restrictionSettings/countrySets.endpoints';
import { type Complaint } from '../../layout/explain';
import { field, select } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { timeField } from '../../layout/times';
import { filled, type Values } from '../fields';
import { folded, type MerchantVisit } from '../frame';

/** The form of a fee. Rare fields are folded unless one of them has a value. */

const priceNames = ['description', 'amount', 'currency', 'access_type', 'quantity', 'period'];
const otherNames = [
  ...['starts_at', 'expires_at', 'country_iso', 'country_set_id', 'restriction_type', 'when_owned'],
  ...['trial_period_quantity', 'trial_period_period', 'trial_period_description', 'trial_end_behaviour'],
  ...['setup_fee_amount', 'setup_fee_description'],
];
/** The fields of the form, with labels for those that must be filled in: their errors are equal texts. */
export const feeLabels = ({ t }: Texts): Record<string, string> => ({
  ...Object.fromEntries([...priceNames, ...otherNames].map((name) => [name, ''])),
  description: t('console.fields.description'),
  amount: t('console.fields.amount'),
  currency: t('console.fields.currency'),
});

const periodNames = ['hour', 'day', 'week', 'month', 'year'] as const;

/** The country sets by id and name, for callers who may see them. */
export async function countrySets(visit: MerchantVisit): Promise<(readonly [string, string])[]> {
  const { listCountrySets } = countrySetEndpoints;
  const sets = mayCall(listCountrySets.auth, visit.caller) ? await visit.call(listCountrySets) : [];
  return sets.map(({ id, name }) => [String(id), name] as const);
}

export function priceFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const kinds = ['subscription', 'ppv', 'ppv_custom', 'freemium'] as const;
  return html`${field(texts, { ...known('description'), label: t('console.fields.description'), hint: t('console.fees.descriptionHint'), isRequired: true })}
    <div class="halves">
      ${field(texts, { ...known('amount'), label: t('console.fields.amount'), inputmode: 'decimal', isRequired: true })}
      ${field(texts, { ...known('currency'), label: t('console.fields.currency'), placeholder: 'EUR', maxlength: 3, isRequired: true })}
    </div>
    <div class="halves">
      ${select(texts, {
        ...known('access_type'),
        label: t('console.fields.type'),
        choices: kinds.map((kind) => [kind, t(`console.accessTypes.${kind}`)] as const),
        isRequired: true,
      })}
      ${field(texts, { ...known('quantity'), value: known('quantity').value ?? 1, label: t('console.fees.lasts'), inputmode: 'numeric', isRequired: true })}
      ${select(texts, { ...known('period'), value: known('period').value ?? 'month', label: t('console.fees.period'), choices: periodChoices(texts), isRequired: true })}
    </div>`;
}

const periodChoices = ({ t }: Texts) => periodNames.map((name) => [name, t(`console.periods.${name}`)] as const);

interface Sent {
  values: Values;
  complaint: Complaint | undefined;
}

interface More extends Sent {
  sets: (readonly [string, string])[];
}

export function moreFields(texts: Texts, { sets, ...state }: More): Html {
  const { t } = texts;
  const { values, complaint } = state;
  const isOpen = complaint !== undefined || otherNames.some((name) => (values[name] ?? '') !== '');
  const parts = [
    [t('console.fees.trial'), trialFields(texts, state)],
    [t('console.fees.setup'), setupFields(texts, state)],
    [t('console.fees.oneTime'), ownedField(texts, state)],
    [t('console.fees.whereAndWhen'), saleFields(texts, { ...state, sets })],
  ] as const;
  const fieldsets = parts.map(
    ([title, fields]) =>
      html`<fieldset>
        <legend class="label">${title}</legend>
        <div class="halves">${fields}</div>
      </fieldset>`,
  );
  return folded(t('console.fees.more'), html`<div class="stack">${fieldsets}</div>`, isOpen);
}

const none = ({ t }: Texts) => ['', t('console.none')] as const;

function trialFields(texts: Texts, { values, complaint }: Sent): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  return html`${field(texts, { ...known('trial_period_quantity'), label: t('console.fees.lasts'), inputmode: 'numeric' })}
  ${select(texts, { ...known('trial_period_period'), label: t('console.fees.period'), choices: [none(texts), ...periodChoices(texts)] })}
  ${field(texts, { ...known('trial_period_description'), label: t('console.fields.description') })}
  ${select(texts, {
    ...known('trial_end_behaviour'),
    label: t('console.fees.withoutCard'),
    choices: [
      ['', t('console.fees.cardNeeded')],
      ['cancel', t('console.fees.thenCancel')],
      ['pause', t('console.fees.thenPause')],
    ],
  })}`;
}

function setupFields(texts: Texts, { values, complaint }: Sent): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  return html`${field(texts, { ...known('setup_fee_amount'), label: t('console.fields.amount'), inputmode: 'decimal' })}
  ${field(texts, { ...known('setup_fee_description'), label: t('console.fields.description') })}`;
}

function ownedField(texts: Texts, { values, complaint }: Sent): Html {
  const { t } = texts;
  return select(texts, {
    ...filled(values, complaint)('when_owned'),
    label: t('console.fees.whenOwned'),
    choices: [
      ['', t('console.fees.extendsSameItem')],
      ['extend_current', t('console.fees.extendsCurrent')],
      ['start_now', t('console.fees.startsNow')],
    ],
  });
}

function saleFields(texts: Texts, more: More): Html {
  const { t } = texts;
  const known = filled(more.values, more.complaint);
  const lists = [
    none(texts),
    ['whitelist', t('console.listTypes.whitelist')],
    ['blacklist', t('console.listTypes.blacklist')],
  ] as const;
  return html`${field(texts, { ...known('country_iso'), label: t('console.fields.country'), placeholder: 'DE', maxlength: 2 })}
  ${setField(texts, more)}
  ${select(texts, { ...known('restriction_type'), label: t('console.fields.listType'), choices: lists })}
  ${timeField(texts, { ...known('starts_at'), label: t('console.fees.onSaleFrom') })}
  ${timeField(texts, { ...known('expires_at'), label: t('console.fees.onSaleUntil') })}`;
}

/** The field for the country set. A caller without access to the sets keeps the set of the fee. */
function setField(texts: Texts, { values, complaint, sets }: More): Html {
  const known = filled(values, complaint)('country_set_id');
  if (sets.length === 0) return html`<input type="hidden" name="country_set_id" value="${known.value ?? ''}" />`;
  const choices = [['', texts.t('console.none')] as const, ...sets];
  return select(texts, { ...known, label: texts.t('console.restrictions.countrySet'), choices });
}
