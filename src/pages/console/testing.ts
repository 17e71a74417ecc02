import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { formId } from '../../kit/form';
import { html, Html } from '../../kit/html';
import { page, PageResponse } from '../../kit/pages/page';
import { mailEndpoints } from '../../mail/mail.endpoints';
import { getTestMail } from '../../mail/mail';
import { testClockEndpoints } from '../../testClock/testClock.endpoints';
import { type RowOf } from '../layout/answers';
import { attempt } from '../layout/explain';
import { contentFrame } from '../layout/content';
import { complaints, field, form, submit } from '../layout/forms';
import { emptyCard } from '../layout/lists';
import { type Texts, textsFor } from '../layout/texts';
import { dayField } from '../layout/times';
import { formPage, type PageState, showPage } from './crudPages';
import { demoLink } from './demoData';
import { inConsole, listQuery, type MerchantVisit, showInConsole } from './frame';
import { breakable, facts, given, pager, when } from './lists';

const day = 86_400;
const steps = { day, week: 7 * day, month: 31 * day, year: 366 * day } as const;

const MailPath = z.object({ id: formId() });
const inMailbox = { ...inConsole, auth: merchant('accounts:read'), method: 'get', params: MailPath } as const;

const clockPlace = { auth: merchant('settings:write'), path: '/console/test-clock' } as const;

/** The tools of the test environment: the test clock and the mailbox. */
export const testingPages = {
  showTestClock: showPage({ ...clockPlace, summary: 'The test clock of the merchant', show: clockPage }),
  moveClockInConsole: formPage({
    ...clockPlace,
    summary: 'Moves the test clock forward',
    work: ({ call, form: { advance, to } }) =>
      call(testClockEndpoints.moveTestClock, { body: advance === undefined ? { to } : { advance } }),
    again: clockPage,
    next: `${clockPlace.path}?done=moved`,
  }),
  showMailbox: page({
    ...inConsole,
    auth: merchant('accounts:read'),
    method: 'get',
    path: '/console/test-mailbox',
    summary: 'The mailbox of the test environment',
    query: z.object({ ...listQuery, to: z.string().optional() }),
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { page: at, to } = visit.query;
      const outcome = await attempt(texts, () =>
        visit.call(mailEndpoints.listTestMailbox, { query: given({ page: at, to }) }),
      );
      const place = { section: 'mailbox', title: t('console.sections.mailbox') } as const;
      const complaint = 'refused' in outcome ? outcome.refused : undefined;
      const filter = html`<form method="get" action="/console/test-mailbox" class="card filters" role="search">
        ${field(texts, { name: 'to', type: 'email', value: to, label: t('console.mailbox.to'), complaint, isFilter: true })}
        ${submit(t('common.search'), { kind: 'other' })}
      </form>`;
      if ('refused' in outcome) return showInConsole(visit, place, filter, { status: 422 });
      const mails = outcome.done.collection.map((mail) => mailCard(texts, mail));
      const list =
        mails.length === 0 ? emptyCard(t('console.mailbox.none'), 'mail') : html`<div class="stack">${mails}</div>`;
      const way = pager(visit, texts, outcome.done, { list: 'test-mailbox', query: { to_email: to } });
      return showInConsole(visit, place, html`${filter} ${list} ${way}`);
    },
  }),
  showMail: page({
    ...inMailbox,
    path: '/console/test-mailbox/{id}',
    summary: 'One mail',
    isEmbeddable: true,
    isForFrames: true,
    handler: async (visit) => {
      const { html: content } = await getTestMail(visit.caller, visit.params.id);
      // The links of a mail open in a new page.
      return new PageResponse(new Html(content.replace('<head>', '<head><base target="_blank" />')), {
        isForeign: true,
      });
    },
  }),
  downloadMailAttachment: page({
    ...inMailbox,
    path: '/console/test-mailbox/{id}/attachment',
    summary: 'An attachment of a mail',
    handler: ({ params, file }) => file(mailEndpoints.getTestAttachment, { params }),
  }),
};

type ListedMail = RowOf<typeof mailEndpoints.listTestMailbox>;

/** The content of an opened mail. */
function mailCard(texts: Texts, { id, subject, to, text, attachment_name: attachment, created_at }: ListedMail): Html {
  const { t } = texts;
  const own = `/console/test-mailbox/${id}`;
  return html`<details class="card mail">
    <summary>
      <span class="strong" dir="auto">${subject === '' ? t('console.mailbox.removed') : subject}</span>
      <span class="quiet small">${breakable(to)}</span>
      <span class="quiet small push">${when(texts, created_at)}</span>
    </summary>
    ${contentFrame({ address: own, title: subject, isLazy: true })}
    ${
      attachment !== null &&
      html`<p>
        <a href="${own}/attachment" download="${attachment}"
          >${t('console.mailbox.attachment', { name: attachment })}</a
        >
      </p>`
    }
    <details class="small">
      <summary>${t('console.mailbox.asText')}</summary>
      <pre>${text}</pre>
    </details>
  </details>`;
}

async function clockPage(visit: MerchantVisit, { complaint, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const clock = await visit.call(testClockEndpoints.getTestClock);
  const buttons = Object.entries(steps).map(([name, seconds]) =>
    submit(t(`console.clock.${name as keyof typeof steps}`), {
      name: 'advance',
      value: String(seconds),
      kind: 'other',
    }),
  );
  const about = facts([
    [t('console.clock.now'), html`<strong>${texts.dateTime(clock.now)}</strong>`],
    [t('console.clock.ahead'), t('console.clock.aheadDays', { count: Math.floor(clock.ahead / day) })],
  ]);
  const to = html`${complaints(texts, complaint, ['to'])}
  ${dayField(texts, { name: 'to', label: t('console.clock.to'), complaint, isRequired: true })}
  ${submit(t('console.clock.move'))}`;
  const whole = html`<p class="quiet">${t('console.clock.explain')}</p>
    <section class="card stack">${about}</section>
    <section class="card stack">
      <h2>${t('console.clock.forward')}</h2>
      ${form(visit, { action: '/console/test-clock', content: html`${buttons}`, className: 'row', name: 'steps' })}
      <hr />
      ${form(visit, { action: '/console/test-clock', content: to, name: 'to' })}
    </section>
    <ul class="plain-list">
      ${demoLink(visit, texts)}
      <li><a href="/console/styleguide">${t('console.styleguide.link')}</a></li>
    </ul>`;
  const place = { section: 'clock', title: t('console.sections.clock'), done } as const;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}
