import { accessFeeEndpoints } from '../../../items/accessFees/accessFees.endpoints';
import { assetEndpoints } from '../../../items/assets.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type AnswerOf } from '../../layout/answers';
import { complaints, submit } from '../../layout/forms';
import { type TextKey, type Texts, textsFor } from '../../layout/texts';
import { changesOf } from '../changes';
import { formPage, type PageState, showPage, type VisitWith } from '../crudPages';
import { timeValue, type Values } from '../fields';
import { confirmButton, formCard, refusedIf, showInConsole } from '../frame';
import { type Column, day, fileOf, mayDo, mayUse, table } from '../lists';
import { countrySets, feeLabels, moreFields, priceFields } from './feeForm';

const path = '/console/items/{id}/fees';
const place = { auth: merchant('items:write'), path: `${path}/{fee_id}` } as const;
const newPlace = { ...place, path: `${path}/new` } as const;
const { createAccessFee, deleteAccessFee, getAccessFee, updateAccessFee } = accessFeeEndpoints;

export const feePages = {
  showNewFee: showPage({ ...newPlace, summary: 'A new fee', show: feePage }),
  createFeeInConsole: formPage({
    ...newPlace,
    summary: 'Creates a fee of an item',
    work: ({ callOnce, params, form: body }) => callOnce(createAccessFee, { params, body }),
    again: feePage,
    next: '/console/items/{id}?done=created',
  }),
  showFee: showPage({
    ...place,
    summary: 'One fee',
    show: async (visit, state) => {
      const fee = await visit.call(getAccessFee, { params: visit.params });
      return feePage(visit, { ...state, values: storedFee(fee) });
    },
  }),
  updateFeeInConsole: formPage({
    ...place,
    summary: 'Changes a fee',
    work: async ({ call, params, form }) => {
      // The endpoint replaces the whole fee, so its prices in stores are sent back unchanged.
      const { external_fees } = await call(getAccessFee, { params });
      return call(updateAccessFee, { params, body: external_fees.length > 0 ? { ...form, external_fees } : form });
    },
    again: feePage,
    next: '/console/items/{id}?done=saved',
  }),
  deleteFeeInConsole: formPage({
    ...place,
    path: `${path}/{fee_id}/delete`,
    summary: 'Takes a fee off sale',
    work: ({ call, params }) => call(deleteAccessFee, { params: { id: params.fee_id } }),
    next: '/console/items/{id}?done=deleted',
  }),
};

type Item = AnswerOf<typeof assetEndpoints.getMerchantItem>;
type Fee = Item['access_fees'][number];

/** A period in words: `6 months`. */
export function periodText({ t }: Texts, quantity: number, period: string): string {
  return t(`periods.${period}` as TextKey, { count: quantity });
}

export function feesOf(visit: Visit, texts: Texts, { id, access_fees: rows }: Item): Html {
  const { t } = texts;
  const list = table({
    title: t('console.fees.title'),
    rows,
    empty: t('console.fees.none'),
    columns: feeColumns(visit, texts, id),
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.fees.title')}</h2>
      ${mayDo(visit, 'items:write') && html`<a class="button slim" href="/console/items/${id}/fees/new">${t('console.fees.create')}</a>`}
    </div>
    ${list} ${fileOf(visit, texts, rows, { list: 'access-fees', query: { item_id: String(id) } })}
  </section>`;
}

function feeColumns(visit: Visit, texts: Texts, itemId: number): Column<Fee>[] {
  const { t, money } = texts;
  const own = ({ id }: Fee) => `/console/items/${itemId}/fees/${id}`;
  const remove = (fee: Fee) =>
    mayUse(visit, deleteAccessFee) &&
    confirmButton(visit, {
      action: `${own(fee)}/delete`,
      label: t('console.fees.remove'),
      question: t('console.fees.removeQuestion'),
    });
  return [
    {
      title: t('console.fields.description'),
      cell: (fee) =>
        mayDo(visit, 'items:write') ? html`<a href="${own(fee)}">${fee.description}</a>` : fee.description,
    },
    { title: t('console.fields.type'), cell: ({ access_type }) => kindOf(texts, access_type) },
    {
      title: t('console.fees.trial'),
      cell: ({ trial_period: trial }) => (trial ? periodText(texts, trial.quantity, trial.period) : ''),
    },
    { title: t('console.fees.onSaleUntil'), cell: ({ expires_at }) => day(texts, expires_at) },
    { title: t('console.fields.amount'), cell: (fee) => money(fee.amount, fee.currency), isNumber: true },
    { title: t('console.fields.actions'), cell: remove },
  ];
}

function kindOf(texts: Texts, { name, quantity, period }: Fee['access_type']): string {
  const { t } = texts;
  const kind = t(`console.accessTypes.${name}` as TextKey);
  if (quantity === 0 || name === 'freemium') return kind;
  const time = periodText(texts, quantity, period);
  return name === 'subscription' ? t('console.fees.every', { kind, time }) : `${kind}: ${time}`;
}

/** The default rule of a fee. */
const usualRule = 'extend_same_item';

function storedFee(fee: AnswerOf<typeof getAccessFee>): Values {
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

/** The form of a fee, or of a new fee. */
async function feePage(
  visit: VisitWith<'id'> & { params: { fee_id?: string } },
  { values = {}, complaint }: PageState,
): Promise<PageResponse> {
  const { id: itemId, fee_id: feeId } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const item = await visit.call(assetEndpoints.getMerchantItem, {
    params: { merchant_uuid: visit.caller.merchantUuid, id: itemId },
  });
  const title = feeId === undefined ? t('console.fees.createTitle') : t('console.fees.editTitle');
  const place = {
    section: 'catalogue',
    title,
    back: { address: `/console/items/${itemId}`, text: item.title },
  } as const;
  const content = html`${complaints(texts, complaint, feeLabels(texts))} ${priceFields(texts, values, complaint)}
  ${moreFields(texts, { values, complaint, sets: await countrySets(visit) })}
  ${submit(feeId === undefined ? t('console.fees.create') : t('common.save'))}`;
  const note = feeId === undefined ? '' : html`<p class="alert">${t('console.fees.editNote')}</p>`;
  const action = `/console/items/${itemId}/fees/${feeId ?? 'new'}`;
  const changes = feeId === undefined ? '' : await changesOf(visit, texts, { type: 'access_fee', id: feeId });
  const whole = html`${note} ${formCard(visit, action, content)} ${changes}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}
