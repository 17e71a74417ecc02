import { type NamedAccount, namesOf } from '../../../accounts/registeredUsers';
import { mailEndpoints } from '../../../mail/mail.endpoints';
import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { type RowOf } from '../../layout/answers';
import { named, type Texts, textsFor } from '../../layout/texts';
import { type PageState, showPage } from '../crudPages';
import { type MerchantVisit, showInConsole } from '../frame';
import { breakable, type Column, given, pager, table, when } from '../lists';
import { customerTabs, undeliveredAddress as path } from './addresses';

export const undeliveredPages = {
  showUndeliveredMails: showPage({
    auth: merchant('accounts:read'),
    path,
    summary: 'The mails that could not be delivered',
    show: undeliveredPage,
  }),
};

async function undeliveredPage(visit: MerchantVisit, { page }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(mailEndpoints.listUndeliveredMails, { query: given({ page }) });
  const list = table({
    title: t('console.undelivered.title'),
    rows: found.collection,
    empty: t('console.undelivered.none'),
    columns: columnsOf(texts, await namesOf(visit.caller, idsOf(found.collection))),
  });
  const place = { section: 'customers', title: t('console.sections.customers') } as const;
  const whole = html`${customerTabs(texts, path)}
    <p class="quiet">${t('console.undelivered.explain')}</p>
    ${list} ${pager(visit, texts, found, { list: 'undelivered-mails', query: {} })}`;
  return showInConsole(visit, place, whole);
}

type Mail = RowOf<typeof mailEndpoints.listUndeliveredMails>;

const idsOf = (mails: readonly Mail[]) => mails.flatMap(({ account_id: id }) => id ?? []);

function columnsOf(texts: Texts, names: ReadonlyMap<number, NamedAccount>): Column<Mail>[] {
  const { t } = texts;
  return [
    { title: t('console.fields.when'), cell: ({ given_up_at: at }) => when(texts, at) },
    {
      title: t('console.mailbox.to'),
      cell: ({ account_id: id, to }) =>
        id !== null && names.get(id)?.isCustomer === true
          ? html`<a href="/console/customers/${id}">${breakable(to)}</a>`
          : breakable(to),
    },
    { title: t('console.undelivered.mail'), cell: ({ template }) => nameOf(texts, template) },
    {
      title: t('console.undelivered.reason'),
      cell: ({ reason, answer }) => {
        // Without a number, the answer is a code of the mail program, and the reason says more.
        const code = /\b\d{3}\b/.exec(answer)?.[0];
        return html`${t(`console.undelivered.reasons.${reason}`)}
        ${code !== undefined && html`<span class="quiet small">${t('console.undelivered.answer', { code })}</span>`}`;
      },
    },
  ];
}

/** The name of a mail to customers, or of one to the merchant and its staff. */
function nameOf(texts: Texts, template: string): string {
  const name = named(texts, 'mails.kinds', template);
  return name === template ? named(texts, 'undelivered.kinds', template) : name;
}
