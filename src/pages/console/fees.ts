import { z } from 'zod';
import { accessFeeEndpoints } from '../../items/accessFees/endpoints';
import { merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, select, submit } from '../layout/forms';
import { type TextKey, type Texts, textsFor } from '../layout/texts';
import { AnyForm } from './fields';
import { asking, IdPath, inConsole, showInConsole } from './frame';
import { day, table } from './lists';

const FeePath = z.object({ id: z.string(), fee_id: z.string() });
const writing = { ...inConsole, auth: merchant('items:write') } as const;

export const feePages = {
  showNewFee: page({
    ...writing,
    method: 'get',
    path: '/console/items/{id}/fees/new',
    summary: 'A new fee',
    params: IdPath,
    handler: (visit) => Promise.resolve(feePage(visit, { itemId: visit.params.id })),
  }),
  createFeeInConsole: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/fees/new',
    summary: 'Prices an item',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { params, form: body } = visit;
      const asked = () => visit.call(accessFeeEndpoints.createAccessFee, { params, body });
      const tried = await attempt(textsFor(visit), asked);
      if ('refused' in tried) return feePage(visit, { itemId: params.id, values: body, complaint: tried.refused });
      return new Redirect(`/console/items/${params.id}?done=created`);
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
    handler: async (visit) => {
      const { params, form: body } = visit;
      const { id: itemId, fee_id: feeId } = params;
      const asked = () => visit.call(accessFeeEndpoints.updateAccessFee, { params, body });
      const tried = await attempt(textsFor(visit), asked);
      if ('refused' in tried) return feePage(visit, { itemId, feeId, values: body, complaint: tried.refused });
      return new Redirect(`/console/items/${itemId}?done=saved`);
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

interface Fee {
  id: number;
  description: string;
  amount: number;
  currency: string;
  access_type: { name: string; quantity: number; period: string };
  setup_fee: { fee_amount: number; description: string } | null;
  trial_period: { quantity: number; period: string; description: string } | null;
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
    ${list}
  </section>`;
}

function kindOf(texts: Texts, { name, quantity, period }: Fee['access_type']): string {
  const { t } = texts;
  const kind = t(`console.accessTypes.${name}` as TextKey);
  return quantity > 0 && name !== 'freemium' ? `${kind}, ${periodText(texts, quantity, period)}` : kind;
}

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
    starts_at: dateField(fee.starts_at),
    expires_at: dateField(fee.expires_at),
  };
}

const dateField = (seconds: number) =>
  seconds === 0 ? undefined : new Date(seconds * 1000).toISOString().slice(0, 10);

interface Filled {
  itemId: string;
  feeId?: string;
  values?: Record<string, unknown>;
  complaint?: Complaint;
}

const feeFields = [
  ...['description', 'amount', 'currency', 'access_type', 'quantity', 'period', 'starts_at', 'expires_at'],
  ...['trial_period_quantity', 'trial_period_period', 'trial_period_description', 'setup_fee_amount'],
  ...['setup_fee_description', 'country_iso', 'restriction_type'],
];

function feePage(visit: Visit, { itemId, feeId, values = {}, complaint }: Filled): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = feeId === undefined ? t('console.fees.createTitle') : t('console.fees.editTitle');
  const place = {
    section: 'catalogue',
    title,
    back: { address: `/console/items/${itemId}`, text: t('common.back') },
  } as const;
  const content = html`${complaints(texts, complaint, feeFields)} ${priceFields(texts, values, complaint)}
  ${moreFields(texts, values, complaint)} ${submit(feeId === undefined ? t('console.fees.create') : t('common.save'))}`;
  const note = feeId === undefined ? '' : html`<p class="alert">${t('console.fees.editNote')}</p>`;
  const action = `/console/items/${itemId}/fees/${feeId ?? 'new'}`;
  const whole = html`${note}
    <div class="card">${form(visit, { action, content })}</div>`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

const periodNames = ['hour', 'day', 'week', 'month', 'year'] as const;

function reader(values: Record<string, unknown>, complaint: Complaint | undefined) {
  return (name: string) => {
    const value = values[name];
    return { name, value: typeof value === 'number' || typeof value === 'string' ? value : undefined, complaint };
  };
}

function priceFields(texts: Texts, values: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = reader(values, complaint);
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

function moreFields(texts: Texts, values: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = reader(values, complaint);
  const none = ['', t('console.none')] as const;
  const lists = [
    none,
    ['whitelist', t('console.listTypes.whitelist')],
    ['blacklist', t('console.listTypes.blacklist')],
  ] as const;
  const isOpen =
    complaint !== undefined || feeFields.slice(6).some((name) => values[name] !== undefined && values[name] !== '');
  return html`<details class="more" ${isOpen ? 'open' : ''}>
    <summary>${t('console.fees.more')}</summary>
    <div class="stack">
      <fieldset>
        <legend class="label">${t('console.fees.trial')}</legend>
        <div class="halves">
          ${field(texts, { ...known('trial_period_quantity'), label: t('console.fees.lasts'), inputmode: 'numeric' })}
          ${select(texts, { ...known('trial_period_period'), label: t('console.fees.period'), choices: [none, ...periodChoices(texts)] })}
          ${field(texts, { ...known('trial_period_description'), label: t('console.fields.description') })}
        </div>
      </fieldset>
      <fieldset>
        <legend class="label">${t('console.fees.setup')}</legend>
        <div class="halves">
          ${field(texts, { ...known('setup_fee_amount'), label: t('console.fields.amount'), inputmode: 'decimal' })}
          ${field(texts, { ...known('setup_fee_description'), label: t('console.fields.description') })}
        </div>
      </fieldset>
      <fieldset>
        <legend class="label">${t('console.fees.whereAndWhen')}</legend>
        <div class="halves">
          ${field(texts, { ...known('country_iso'), label: t('console.fields.country'), placeholder: 'DE', maxlength: 2 })}
          ${select(texts, { ...known('restriction_type'), label: t('console.fields.listType'), choices: lists })}
          ${field(texts, { ...known('starts_at'), type: 'date', label: t('console.fees.onSaleFrom') })}
          ${field(texts, { ...known('expires_at'), type: 'date', label: t('console.fees.onSaleUntil') })}
        </div>
      </fieldset>
    </div>
  </details>`;
}
