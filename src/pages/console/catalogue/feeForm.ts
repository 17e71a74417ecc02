import { mayCall, type Caller } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { countrySetEndpoints } from '../../../restrictions/countrySets/endpoints';
import { type Complaint } from '../../layout/explain';
import { field, select } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { filled, timeField, type Values } from '../fields';
import { folded } from '../frame';

/** What a fee's form asks for: its price, and what few fees have, which stays folded until one of it is filled. */

const priceNames = ['description', 'amount', 'currency', 'access_type', 'quantity', 'period'];
const otherNames = [
  ...['starts_at', 'expires_at', 'country_iso', 'country_set_id', 'restriction_type', 'when_owned'],
  ...['trial_period_quantity', 'trial_period_period', 'trial_period_description', 'trial_end_behaviour'],
  ...['setup_fee_amount', 'setup_fee_description'],
];
export const feeFields = [...priceNames, ...otherNames];

const periodNames = ['hour', 'day', 'week', 'month', 'year'] as const;

/** Sets by number and name, for who may see them. */
export async function countrySets(visit: Visit & { caller: Caller }): Promise<(readonly [string, string])[]> {
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

interface More {
  values: Values;
  complaint: Complaint | undefined;
  sets: (readonly [string, string])[];
}

export function moreFields(texts: Texts, { values, complaint, sets }: More): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const none = ['', t('console.none')] as const;
  const lists = [
    none,
    ['whitelist', t('console.listTypes.whitelist')],
    ['blacklist', t('console.listTypes.blacklist')],
  ] as const;
  const isOpen = complaint !== undefined || otherNames.some((name) => (values[name] ?? '') !== '');
  const trial = html`${field(texts, { ...known('trial_period_quantity'), label: t('console.fees.lasts'), inputmode: 'numeric' })}
  ${select(texts, { ...known('trial_period_period'), label: t('console.fees.period'), choices: [none, ...periodChoices(texts)] })}
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
  const setup = html`${field(texts, { ...known('setup_fee_amount'), label: t('console.fields.amount'), inputmode: 'decimal' })}
  ${field(texts, { ...known('setup_fee_description'), label: t('console.fields.description') })}`;
  const where = html`${field(texts, { ...known('country_iso'), label: t('console.fields.country'), placeholder: 'DE', maxlength: 2 })}
  ${setField(texts, { values, complaint, sets })}
  ${select(texts, { ...known('restriction_type'), label: t('console.fields.listType'), choices: lists })}
  ${timeField(texts, { ...known('starts_at'), label: t('console.fees.onSaleFrom') })}
  ${timeField(texts, { ...known('expires_at'), label: t('console.fees.onSaleUntil') })}`;
  const owned = select(texts, {
    ...known('when_owned'),
    label: t('console.fees.whenOwned'),
    choices: [
      ['', t('console.fees.extendsSameItem')],
      ['extend_current', t('console.fees.extendsCurrent')],
      ['start_now', t('console.fees.startsNow')],
    ],
  });
  const parts = [
    [t('console.fees.trial'), trial],
    [t('console.fees.setup'), setup],
    [t('console.fees.oneTime'), owned],
    [t('console.fees.whereAndWhen'), where],
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

/** Who may not see the sets keeps the one that the fee has. */
function setField(texts: Texts, { values, complaint, sets }: More): Html {
  const known = filled(values, complaint)('country_set_id');
  if (sets.length === 0) return html`<input type="hidden" name="country_set_id" value="${known.value ?? ''}" />`;
  const choices = [['', texts.t('console.none')] as const, ...sets];
  return select(texts, { ...known, label: texts.t('console.restrictions.countrySet'), choices });
}
