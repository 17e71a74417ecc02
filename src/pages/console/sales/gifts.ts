import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { giftEndpoints } from '../../../vouchers/gifts.endpoints';
import { complaints } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { confirmButton, refusedIf, showInConsole } from '../frame';
import { badge, breakable, emptyBeforeSales, given, mayDo, pager, table } from '../lists';
import { voucherTabs } from './voucherTabs';

const address = '/console/gifts';

const pages = crudPages({
  address,
  feature: 'gifts',
  auth: merchant('vouchers:read'),
  writing: merchant('vouchers:write'),
  list: giftsPage,
});

/** The gifts that customers have bought. */
export const giftPages = {
  showGifts: pages.list('The gifts that customers bought'),
  resendGiftInConsole: pages.act('resend')(
    'Mails a gift to its receiver again',
    ({ call, params }) => call(giftEndpoints.resendGift, { params }),
    { again: giftsPage, next: `${address}?done=sent` },
  ),
};

async function giftsPage(visit: Visit, { page: at, complaint, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, money } = texts;
  const found = await visit.call(giftEndpoints.listGiftVouchers, { query: given({ page: at }) });
  const resend = (id: number) =>
    confirmButton(visit, {
      action: `${address}/${id}/resend`,
      label: t('console.vouchers.mailAgain'),
      question: t('console.vouchers.mailAgainQuestion'),
      isDangerous: false,
    });
  const list = table({
    title: t('console.vouchers.gifts'),
    rows: found.collection.map(({ gift_voucher: gift }) => gift),
    empty: emptyBeforeSales(visit, texts, t('console.vouchers.noGifts')),
    columns: [
      { title: t('console.fields.code'), cell: ({ code }) => html`<code>${code}</code>` },
      { title: t('console.fields.item'), cell: ({ item_title }) => item_title },
      { title: t('console.vouchers.from'), cell: ({ buyer_email }) => breakable(buyer_email) },
      { title: t('console.vouchers.for'), cell: ({ receiver_email }) => breakable(receiver_email) },
      { title: t('console.fields.state'), cell: ({ status }) => badge(texts, status) },
      { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
      {
        title: t('console.fields.actions'),
        cell: ({ id, status }) => status === 'bought' && mayDo(visit, 'vouchers:write') && resend(id),
      },
    ],
  });
  const place = { section: 'vouchers', title: t('console.vouchers.gifts'), done } as const;
  const whole = html`${voucherTabs(visit, texts, address)} ${complaints(texts, complaint, [])} ${list}
  ${pager(visit, texts, found, { list: 'gifts', query: {} })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}
