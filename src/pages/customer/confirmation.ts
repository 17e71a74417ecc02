import { rememberedCompany } from '../../accounts/company/cookies';
import { isOfCompany } from '../../accounts/company/signIn';
import { hasPassword } from '../../accounts/signIn/passwords';
import { brandingEndpoints } from '../../branding/branding.endpoints';
import { passkeyEndpoints } from '../../accounts/passkeys/passkeys.endpoints';
import { secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { readJson } from '../../kit/json';
import { type ConfirmationAnswer, type ConfirmationQuestion } from '../../kit/pages/confirmation';
import { PageResponse, type Visit } from '../../kit/pages/page';
import { codeField } from './secondFactor';
import { passkeyForm } from './passkeyForm';
import { type Complaint, explain } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type Frame, wholePage } from '../layout/page';
import { accountLine } from '../layout/signedIn';
import { type Texts, textsFor } from '../layout/texts';
import { houseTheme, operatorTheme, themeOf } from '../layout/theme';

/** The page that a tab for a sign-in at the company's provider ends on. */
export const confirmedPath = '/console/confirmed';

/** The question before a call that requires a recent confirmation. It contains the fields of the form. */
export async function askForConfirmation(visit: Visit, question: ConfirmationQuestion): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const ways = await waysOf(visit);
  const { error, target } = question;
  const complaint = error && explain(texts, error);
  const title = t('confirmation.title');
  const content = html`<section class="card stack" ${target !== undefined && html`id="${target}"`}>
    <h1 tabindex="-1" ${complaint ? '' : html`data-focus`}>${title}</h1>
    ${complaint && complaints(texts, { ...complaint, fields: {} }, [])}
    ${waysIn(visit, texts, { ...question, ...ways, complaint })}
  </section>`;
  if (visit.isFragment) return new PageResponse(content, { status: error ? 422 : 403 });
  const frame = { title, isNarrow: true, ...(await frameOf(visit, texts)) };
  return new PageResponse(wholePage(visit, frame, content), { status: error ? 422 : 403 });
}

/** The theme of the page with the form, and who is signed in. */
async function frameOf(
  { caller, signedInAs: person, call }: Visit,
  texts: Texts,
): Promise<Pick<Frame, 'theme' | 'banner'>> {
  if (caller?.role === 'consumer') {
    const { merchantUuid: merchant_uuid } = caller;
    return { theme: themeOf(await call(brandingEndpoints.getDefaultBrand, { params: { merchant_uuid } })) };
  }
  const { t } = texts;
  const theme =
    caller?.role === 'operator'
      ? { ...operatorTheme, name: t('operator.name') }
      : { ...houseTheme, name: person?.merchantName || t('console.name') };
  return { theme, ...(person && { banner: html`<div class="push row">${accountLine(texts, person.email)}</div>` }) };
}

/** Whether the forms of the visitor ask for a password. An account without one confirms by a new sign-in. */
export const asksPassword = async ({ caller }: Visit): Promise<boolean> => caller === undefined || hasPassword(caller);

interface Ways {
  /** A customer without a password signs in again, by another service or a link in a mail. */
  isByNewSignIn: boolean;
  /** The provider of the company has opened the session. The person may have no password. */
  isOfCompany: boolean;
  hasFactor: boolean;
  hasApp: boolean;
  /** The options for a passkey, if the account has one. */
  options: unknown;
}

async function waysOf(visit: Visit): Promise<Ways> {
  const { call, caller } = visit;
  const factors = await call(secondFactorEndpoints.listSecondFactors);
  const passkeys = await call(passkeyEndpoints.listPasskeys);
  const hasApp = factors.collection.length > 0;
  const hasPasskey = passkeys.collection.length > 0;
  const options = hasPasskey ? await call(passkeyEndpoints.startPasskeyConfirmation) : undefined;
  const hasFactor = hasApp || hasPasskey;
  return {
    isByNewSignIn: caller?.role === 'consumer' && !(await asksPassword(visit)),
    isOfCompany: caller !== undefined && (await isOfCompany(caller)),
    ...{ hasFactor, hasApp, options },
  };
}

type Asked = Ways & ConfirmationQuestion & { complaint: Complaint | undefined };

function waysIn(visit: Visit, texts: Texts, asked: Asked): Html {
  const { t } = texts;
  if (asked.isOfCompany && !asked.hasFactor) return byCompanyOnly(visit, texts, asked);
  if (asked.isByNewSignIn && !asked.hasFactor) return byNewSignIn(visit, texts, asked);
  return html`<p>${t(asked.hasFactor ? 'confirmation.factorHint' : 'confirmation.passwordHint')}</p>
    ${forms(visit, texts, asked)} ${!asked.hasFactor && byCompany(visit, texts, asked)}`;
}

const hiddenFields = ({ kept }: ConfirmationQuestion) =>
  kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);

function forms(visit: Visit, texts: Texts, asked: Asked): Html {
  const { t } = texts;
  const { action, target, hasFactor, hasApp, options } = asked;
  const hidden = hiddenFields(asked);
  const typed = hasApp
    ? codeField(texts, { name: '_confirm_code', hint: t('secondFactor.codeHint') })
    : field(texts, {
        name: '_confirm_password',
        type: 'password',
        label: t('common.password'),
        autocomplete: 'current-password',
        isRequired: true,
      });
  const at = { action, ...(target !== undefined && { target }) };
  const byKeys = html`${hidden} ${typed} ${submit(t('common.continue'))}`;
  const byPasskey = { ...at, field: '_confirm_passkey', with: { use: options }, content: hidden };
  return html`${options !== undefined && passkeyForm(visit, texts, { ...byPasskey, label: t('passkeys.use') })}
  ${hasApp || !hasFactor ? form(visit, { ...at, content: byKeys, name: 'confirmation' }) : html`<noscript><p>${t('passkeys.needsScript')}</p></noscript>`}`;
}

/** A member who signed in with the company's provider can do so again. The provider then asks the person. */
function byCompany(visit: Visit, texts: Texts, question: ConfirmationQuestion): Html {
  const { caller, request } = visit;
  if (caller?.isStaff !== true || rememberedCompany(request) !== caller.merchantUuid) return html``;
  return html`<p class="divider">${texts.t('paywall.or')}</p>
    ${companyLink(visit, texts, question)} ${visit.method === 'post' && continueForm(visit, texts, question)}`;
}

/** The provider asks the person in another tab, so that the fields of the form stay in this one. */
function byCompanyOnly(visit: Visit, texts: Texts, question: ConfirmationQuestion): Html {
  const { t } = texts;
  const isForm = visit.method === 'post';
  return html`<p>${t(isForm ? 'console.company.confirmFormHint' : 'console.company.confirmHint')}</p>
    ${companyLink(visit, texts, question, 'main')} ${isForm && continueForm(visit, texts, question)}`;
}

/** The sign-in page of the portal opens in another tab. The pages of customers that ask are forms. */
function byNewSignIn(visit: Visit, texts: Texts, question: ConfirmationQuestion): Html {
  const { t } = texts;
  const address = `/portal/${visit.caller?.merchantUuid ?? ''}/sign-in?again=true`;
  return html`<p>${t('confirmation.signInHint')}</p>
    <a class="button main full" href="${address}" target="_blank" rel="noopener">${t('confirmation.signInAgain')}</a>
    ${continueForm(visit, texts, question)}`;
}

function companyLink(
  { caller, method }: Visit,
  { t }: Texts,
  { kept }: ConfirmationQuestion,
  kind: 'main' | '' = '',
): Html {
  const isForm = method === 'post';
  const next = isForm ? confirmedPath : (kept.find(([name]) => name === 'next')?.[1] ?? '/console');
  const query = new URLSearchParams({ fresh: 'true', next }).toString();
  const address = `/accounts/company/${caller?.merchantUuid ?? ''}?${query}`;
  return html`<a class="button ${kind} full" href="${address}" ${isForm && html`target="_blank" rel="noopener"`}
    >${t('console.company.again')}</a
  >`;
}

/** Sends the form again after the sign-in in the other tab. */
function continueForm(visit: Visit, { t }: Texts, question: ConfirmationQuestion): Html {
  const { action, target } = question;
  const content = html`${hiddenFields(question)} ${submit(t('common.continue'), { kind: 'other', isFull: true })}`;
  return form(visit, { action, ...(target !== undefined && { target }), content, name: 'continue' });
}

/** Records the answer in the session. */
export async function giveConfirmation({ call }: Visit, answer: ConfirmationAnswer): Promise<void> {
  const { _confirm_code: code, _confirm_passkey: passkey, _confirm_password: password } = answer;
  if (passkey !== undefined) await call(passkeyEndpoints.confirmByPasskey, { body: { credential: readJson(passkey) } });
  else if (code !== undefined) await call(secondFactorEndpoints.verifySecondFactor, { body: { code } });
  else if (password !== undefined) await call(secondFactorEndpoints.verifyPassword, { body: { password } });
  else throw new AppError('missing_parameter');
}
