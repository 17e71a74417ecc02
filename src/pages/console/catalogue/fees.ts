import { z } from 'zod';
import { accessFeeEndpoints } from '../../../items/accessFees/endpoints';
import { type Caller, mayCall, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { countrySetEndpoints } from '../../../restrictions/countrySets/endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { type TextKey, type Texts, textsFor } from '../../layout/texts';
import { AnyForm, filled, timeField, timeValue, type Values } from '../fields';
import { asking, carryOut, folded, formCard, IdPath, inConsole, refusedIf, showInConsole } from '../frame';
import { day, fileOf, table } from '../lists';

const FeePath = z.object({ id: z.string(), fee_id: z.string() });
const writing = { ...inConsole, auth: merchant('items:write') } as const;

export const feePages = {
  showNewFee: page({
    ...writing,
    method: 'get',
    path: '/console/items/{id}/fees/new',
    summary: 'A new fee',
    params: IdPath,
    handler: (visit) => feePage(visit, { itemId: visit.params.id }),
  }),
  createFeeInConsole: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/fees/new',
    summary: 'Prices an item',
    params: IdPath,
    form: AnyForm,
    handler: (visit) => {
      const { params, form: body } = visit;
      return carryOut(visit, {
        work: () => visit.call(accessFeeEndpoints.createAccessFee, { params, body }),
        again: (complaint) => feePage(visit, { itemId: params.id, values: body, complaint }),
        next: `/console/items/${params.id}?done=created`,
      });
    },
  }),
  showFee: page({
    ...writing,
    method: 'get',
    path: '/console/items/{id}/fees/{fee_id}',
    summary: 'One fee',
    params: FeePath,
    handler: async (visit) => {
      const { id: itemId, fee_id: feeId } = visit.params;
      const fee = await visit.call(accessFeeEndpoints.getAccessFee, { params: visit.params });
      return feePage(visit, { itemId, feeId, values: storedFee(fee) });
    },
  }),
  updateFeeInConsole: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/fees/{fee_id}',
    summary: 'Changes a fee',
    params: FeePath,
    form: AnyForm,
    handler: (visit) => {
      const { params, form: sent } = visit;
      const { id: itemId, fee_id: feeId } = params;
      return carryOut(visit, {
        work: async () => {
          // The whole fee is sent; its prices in the stores have no fields here, and stay.
          const { external_fees } = await visit.call(accessFeeEndpoints.getAccessFee, { params });
          const body = external_fees.length > 0 ? { ...sent, external_fees } : sent;
          return visit.call(accessFeeEndpoints.updateAccessFee, { params, body });
        },
        again: (complaint) => feePage(visit, { itemId, feeId, values: sent, complaint }),
        next: `/console/items/${itemId}?done=saved`,
      });
    },
  }),
  deleteFeeInConsole: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/fees/{fee_id}/delete',
    summary: 'Sells a fee no longer',
    params: FeePath,
    handler: async (visit) => {
      await visit.call(accessFeeEndpoints.deleteAccessFee, { params: { id: visit.params.fee_id } });
      return new Redirect(`/console/items/${visit.params.id}?done=deleted`);
    },
  }),
};

type MerchantVisit = Visit & { caller: Caller };

interface Fee {
  id: number;
  description: string;
  amount: number;
  currency: string;
  access_type: { name: string; quantity: number; period: string };
  setup_fee: { fee_amount: number; description: string } | null;
  trial_period: { quantity: number; period: string; description: string } | null;
  trial_end_behaviour: string | null;
  when_owned: string | null;
  geo_restriction: { country_iso: string; country_set_id: number; type: string } | null;
  starts_at: number;
  expires_at: number;
}

/** `6 months`, in words. */
export function periodText({ t }: Texts, quantity: number, period: string): string {
  return t(`periods.${period}` as TextKey, { count: quantity });
}

export function feesOf(
  visit: Visit,
  texts: Texts,
  { id, access_fees: rows }: { id: number; access_fees: Fee[] },
): Html {
  const { t, money } = texts;
  const list = table({
    title: t('console.fees.title'),
    rows,
    empty: t('console.fees.none'),
    columns: [
      {
        title: t('console.fields.description'),
        cell: (fee) => html`<a href="/console/items/${id}/fees/${fee.id}">${fee.description}</a>`,
      },
      { title: t('console.fields.type'), cell: ({ access_type }) => kindOf(texts, access_type) },
      {
        title: t('console.fees.trial'),
        cell: ({ trial_period: trial }) => (trial ? periodText(texts, trial.quantity, trial.period) : ''),
      },
      { title: t('console.fees.onSaleUntil'), cell: ({ expires_at }) => day(texts, expires_at) },
      { title: t('console.fields.amount'), cell: (fee) => money(fee.amount, fee.currency), isNumber: true },
      {
        title: t('console.fields.actions'),
        cell: (fee) =>
          asking(visit, {
            action: `/console/items/${id}/fees/${fee.id}/delete`,
            label: t('console.fees.remove'),
            question: t('console.fees.removeQuestion'),
          }),
      },
    ],
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.fees.title')}</h2>
      <a class="button slim" href="/console/items/${id}/fees/new">${t('console.fees.create')}</a>
    </div>
    ${list} ${fileOf(visit, texts, rows, { list: 'access-fees', query: { item_id: String(id) } })}
  </section>`;
}

function kindOf(texts: Texts, { name, quantity, period }: Fee['access_type']): string {
  const { t } = texts;
  const kind = t(`console.accessTypes.${name}` as TextKey);
  if (quantity === 0 || name === 'freemium') return kind;
  const time = periodText(texts, quantity, period);
  return name === 'subscription' ? t('console.fees.every', { kind, time }) : `${kind}: ${time}`;
}

/** What the choice without a word says. */
const usualRule = 'extend_same_item';

function storedFee(fee: Fee): Record<string, unknown> {
  return {
    ...fee,
    access_type: fee.access_type.name,
    quantity: fee.access_type.quantity,
    period: fee.access_type.period,
    setup_fee_amount: fee.setup_fee?.fee_amount,
    setup_fee_description: fee.setup_fee?.description,
    trial_period_quantity: fee.trial_period?.quantity,
    trial_period_period: fee.trial_period?.period,
    trial_period_description: fee.trial_period?.description,
    country_iso: fee.geo_restriction?.country_iso,
    country_set_id: fee.geo_restriction?.country_set_id || undefined,
    restriction_type: fee.geo_restriction?.type,
    trial_end_behaviour: fee.trial_end_behaviour ?? undefined,
    when_owned: fee.when_owned === usualRule ? undefined : (fee.when_owned ?? undefined),
    starts_at: timeValue(fee.starts_at),
    expires_at: timeValue(fee.expires_at),
  };
}

interface Filled {
  itemId: string;
  feeId?: string;
  values?: Values;
  complaint?: Complaint;
}

const feeFields = [
  ...['description', 'amount', 'currency', 'access_type', 'quantity', 'period', 'starts_at', 'expires_at'],
  ...['trial_period_quantity', 'trial_period_period', 'trial_period_description', 'trial_end_behaviour'],
  ...['setup_fee_amount', 'setup_fee_description', 'country_iso', 'country_set_id', 'restriction_type', 'when_owned'],
];

async function feePage(visit: MerchantVisit, { itemId, feeId, values = {}, complaint }: Filled): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = feeId === undefined ? t('console.fees.createTitle') : t('console.fees.editTitle');
  const place = {
    section: 'catalogue',
    title,
    back: { address: `/console/items/${itemId}`, text: t('common.back') },
  } as const;
  const content = html`${complaints(texts, complaint, feeFields)} ${priceFields(texts, values, complaint)}
  ${moreFields(texts, { values, complaint, sets: await countrySets(visit) })}
  ${submit(feeId === undefined ? t('console.fees.create') : t('common.save'))}`;
  const note = feeId === undefined ? '' : html`<p class="alert">${t('console.fees.editNote')}</p>`;
  const action = `/console/items/${itemId}/fees/${feeId ?? 'new'}`;
  return showInConsole(visit, place, html`${note} ${formCard(visit, action, content)}`, refusedIf(complaint));
}

const periodNames = ['hour', 'day', 'week', 'month', 'year'] as const;

/** Sets by number and name, for who may see them. */
async function countrySets(visit: MerchantVisit): Promise<(readonly [string, string])[]> {
  const { listCountrySets } = countrySetEndpoints;
  const sets = mayCall(listCountrySets.auth, visit.caller) ? await visit.call(listCountrySets) : [];
  return sets.map(({ id, name }) => [String(id), name] as const);
}

function priceFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
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

function moreFields(texts: Texts, { values, complaint, sets }: More): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const none = ['', t('console.none')] as const;
  const lists = [
    none,
    ['whitelist', t('console.listTypes.whitelist')],
    ['blacklist', t('console.listTypes.blacklist')],
  ] as const;
  const isOpen =
    complaint !== undefined || feeFields.slice(6).some((name) => values[name] !== undefined && values[name] !== '');
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
