import { z } from 'zod';
import { accessFeeEndpoints } from '../../../items/accessFees/endpoints';
import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { complaints, submit } from '../../layout/forms';
import { type TextKey, type Texts, textsFor } from '../../layout/texts';
import { AnyForm, timeValue, type Values } from '../fields';
import { asking, carryOut, formCard, IdPath, inConsole, refusedIf, showInConsole } from '../frame';
import { day, fileOf, table } from '../lists';
import { countrySets, feeFields, moreFields, priceFields } from './feeForm';

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
