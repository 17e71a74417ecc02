import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { directionOf, type Language, languageName, languages } from '../../kit/languages';
import { page, type PageResponse } from '../../kit/pages/page';
import { mailTextEndpoints } from '../../mail/texts/texts.endpoints';
import { type AnswerOf, type RowOf } from '../layout/answers';
import { type Complaint } from '../layout/explain';
import { complaints, field, type FieldOptions, form, select, submit, textarea } from '../layout/forms';
import { named, type TextKey, type Texts, textsFor } from '../layout/texts';
import { brandingTabs } from './branding';
import { formPage, type PageState, showPage, type VisitWith } from './crudPages';
import { filled, type Values } from './fields';
import { confirmButton, inConsole, listQuery, type MerchantVisit, refusedIf, showInConsole } from './frame';
import { facts, mayUse, tabs } from './lists';
import { mailAddress, mailsAddress, previewFrameName } from './mailPreviews';

const auth = merchant('branding:write');
const { deleteMailText, getMailText, listMailTexts, sendTestMail, setMailText } = mailTextEndpoints;
const own = `${mailsAddress}/{kind}/{language}` as const;

const textFields = ['subject', 'heading', 'opening', 'closing', 'button'] as const;

type MailVisit = VisitWith<'kind' | 'language'>;
type Text = AnswerOf<typeof getMailText>;

/** The texts of the mails to customers. */
export const mailTextPages = {
  showMailTexts: page({
    ...inConsole,
    auth,
    method: 'get',
    path: mailsAddress,
    summary: 'The mails to customers',
    query: z.object({ ...listQuery, language: z.enum(languages).optional().catch(undefined) }),
    handler: (visit) => mailsPage(visit, visit.query.language ?? textsFor(visit).language),
  }),
  showMailText: showPage({ auth, path: own, summary: 'The text of one mail', show: mailPage }),
  saveMailText: formPage({
    auth,
    path: own,
    summary: 'Changes the text of a mail',
    work: ({ call, params, form: body }) => call(setMailText, { params, body }),
    again: mailPage,
    next: `${own}?done=saved`,
  }),
  sendTestMailInConsole: formPage({
    auth,
    path: `${own}/test`,
    summary: 'Mails the text in the form to the visitor',
    work: ({ callOnce, params, form: body }) => callOnce(sendTestMail, { params, body }),
    again: mailPage,
    next: (_sent, visit) => mailPage(visit, { values: visit.form, done: 'sent' }),
  }),
  resetMailText: formPage({
    auth,
    path: `${own}/delete`,
    summary: 'Goes back to the standard text of a mail',
    work: ({ call, params }) => call(deleteMailText, { params }),
    next: `${own}?done=saved`,
  }),
};

async function mailsPage(visit: MerchantVisit, language: Language): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(listMailTexts, { query: { language } });
  const filter = html`<form method="get" action="${mailsAddress}" class="card filters" role="search">
    ${select(texts, {
      name: 'language',
      value: language,
      label: t('console.mails.language'),
      choices: languages.map((each) => [each, languageName(each)] as const),
      isRequired: true,
    })}
    ${submit(t('console.mails.showLanguage'), { kind: 'other' })}
  </form>`;
  const group = (title: string, isMeant: (mail: Text) => boolean) =>
    html`<section class="card stack">
      <h2>${title}</h2>
      <ul class="entries">
        ${collection.filter(isMeant).map((mail) => entryOf(texts, mail))}
      </ul>
    </section>`;
  const content = html`${brandingTabs(texts, mailsAddress)}
    <p class="quiet">${t('console.mails.explain')}</p>
    ${filter} ${group(t('console.mails.purchases'), (mail) => !mail.has_fixed_closing)}
    ${group(t('console.mails.security'), (mail) => mail.has_fixed_closing)}`;
  return showInConsole(visit, { section: 'branding', title: t('console.sections.branding') }, content);
}

function entryOf(texts: Texts, mail: RowOf<typeof listMailTexts>): Html {
  const { kind, language, own: changed, standard, changed_languages } = mail;
  const { t, series } = texts;
  const known = series(changed_languages.map(languageName));
  return html`<li>
    <div>
      <a class="strong" href="${mailAddress(kind, language)}">${nameOf(texts, kind)}</a>
      <div class="quiet small" lang="${language}" dir="${directionOf(language)}">${(changed ?? standard).subject}</div>
    </div>
    ${
      changed_languages.length > 0 &&
      html`<span class="badge ${changed ? 'good' : 'note'}">${t('console.mails.ownIn', { languages: known })}</span>`
    }
  </li>`;
}

const nameOf = (texts: Texts, kind: string) => named(texts, 'mails.kinds', kind);

async function mailPage(visit: MailVisit, { complaint, values, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { kind, language } = visit.params;
  const mail = await visit.call(getMailText, { params: { kind, language } });
  const address = mailAddress(kind, language);
  const chosen = Object.fromEntries(languages.map((each) => [mailAddress(kind, each), languageName(each)]));
  const frame = html`<iframe
    class="preview-frame tall"
    name="${previewFrameName}"
    src="${address}/preview"
    title="${t('console.branding.preview')}"
    sandbox="allow-popups allow-popups-to-escape-sandbox"
  ></iframe>`;
  const content = html`${tabs(t('console.mails.language'), chosen, address)}
    <div class="previewed">
      <div class="stack">
        <div class="card">${textForm(visit, texts, mail, { complaint, values })}</div>
        ${placeholdersOf(texts, mail)}
      </div>
      <section class="stack">
        <h2>${t('console.branding.preview')}</h2>
        ${frame}
      </section>
    </div>`;
  const actions =
    mail.own &&
    mayUse(visit, deleteMailText) &&
    confirmButton(visit, {
      action: `${address}/delete`,
      label: t('console.mails.reset'),
      question: t('console.mails.resetQuestion'),
    });
  const back = { address: `${mailsAddress}?language=${language}`, text: t('console.mails.title') };
  const place = { section: 'branding', title: nameOf(texts, kind), back, done, ...(actions && { actions }) } as const;
  return showInConsole(visit, place, content, refusedIf(complaint));
}

interface Filled {
  complaint: Complaint | undefined;
  values: Values | undefined;
}

function textForm(visit: MailVisit, texts: Texts, mail: Text, { complaint, values }: Filled): Html {
  const { t } = texts;
  const address = mailAddress(mail.kind, mail.language);
  const labels = Object.fromEntries(textFields.map((name) => [name, t(`console.mails.${name}`)]));
  const content = html`${complaints(texts, complaint, labels)}
    ${fieldsOf(texts, mail, values ?? textOf(mail), complaint)}
    <div class="row">
      ${submit(t('common.save'))}
      <button type="submit" class="slim" formaction="${address}/test">${t('console.mails.test')}</button>
      <button
        type="submit"
        class="slim"
        formaction="${address}/preview"
        formtarget="${previewFrameName}"
        formnovalidate
        data-preview
      >
        ${t('console.branding.tryPreview')}
      </button>
    </div>
    <p class="hint">${t('console.mails.testHint')}</p>`;
  return form(visit, { action: address, name: 'mail-text', content });
}

/** The text that customers receive now. */
const textOf = ({ own: changed, standard }: Text): Values => ({
  subject: changed?.subject ?? standard.subject,
  heading: changed?.heading ?? '',
  opening: changed?.opening ?? standard.opening,
  closing: changed?.closing ?? standard.closing,
  button: changed?.button ?? standard.button,
});

function fieldsOf(texts: Texts, mail: Text, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const { language, has_fixed_closing, standard } = mail;
  const known = filled(values, complaint);
  const written = { lang: language, dir: directionOf(language) };
  const options = (name: (typeof textFields)[number]) => ({
    ...known(name),
    label: t(`console.mails.${name}`),
    more: written,
  });
  const long = (name: 'opening' | 'closing', rows: number, more: Partial<FieldOptions>) =>
    textarea(texts, { ...options(name), ...more, more: { ...written, rows: String(rows) } });
  return html`${field(texts, { ...options('subject'), isRequired: true })}
  ${field(texts, { ...options('heading'), hint: t('console.mails.headingHint') })}
  ${long('opening', 6, { isRequired: true, hint: t('console.mails.openingHint') })}
  ${
    has_fixed_closing
      ? html`<div class="alert" role="note">
          <p>${t('console.mails.fixedClosing')}</p>
          <p lang="${language}" dir="${directionOf(language)}">${standard.closing}</p>
        </div>`
      : long('closing', 3, { hint: t('console.mails.closingHint') })
  }
  ${standard.button !== null && field(texts, { ...options('button'), hint: t('console.mails.buttonHint') })}`;
}

function placeholdersOf({ t }: Texts, { placeholders }: Text): Html {
  const rows = placeholders.map((name) => [`{${name}}`, t(`console.mails.placeholders.${name}` as TextKey)] as const);
  return html`<section class="card stack">
    <h2>${t('console.mails.placeholdersTitle')}</h2>
    <p class="quiet">${t('console.mails.placeholdersHint')}</p>
    ${facts(rows)}
  </section>`;
}
