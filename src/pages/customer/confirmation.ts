import { rememberedCompany } from '../../accounts/company/cookies';
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
import { wholePage } from '../layout/page';
import { type Texts, textsFor } from '../layout/texts';

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
    <p>${t(ways.hasFactor ? 'confirmation.factorHint' : 'confirmation.passwordHint')}</p>
    ${complaint && complaints(texts, { ...complaint, fields: {} }, [])}
    ${forms(visit, texts, { ...question, ...ways, complaint })} ${!ways.hasFactor && byCompany(visit, texts, question)}
  </section>`;
  const shown = visit.isFragment ? content : wholePage(visit, { title, isNarrow: true }, content);
  return new PageResponse(shown, { status: error ? 422 : 403 });
}

interface Ways {
  hasFactor: boolean;
  hasApp: boolean;
  /** The options for a passkey, if the account has one. */
  options: unknown;
}

async function waysOf({ call }: Visit): Promise<Ways> {
  const factors = await call(secondFactorEndpoints.listSecondFactors);
  const passkeys = await call(passkeyEndpoints.listPasskeys);
  const hasApp = factors.collection.length > 0;
  const hasPasskey = passkeys.collection.length > 0;
  const options = hasPasskey ? await call(passkeyEndpoints.startPasskeyConfirmation) : undefined;
  return { hasFactor: hasApp || hasPasskey, hasApp, options };
}

type Asked = Ways & ConfirmationQuestion & { complaint: Complaint | undefined };

function forms(visit: Visit, texts: Texts, { action, target, kept, hasFactor, hasApp, options }: Asked): Html {
  const { t } = texts;
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
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
function byCompany({ caller, request }: Visit, { t }: Texts, { kept }: ConfirmationQuestion): Html {
  const company = rememberedCompany(request);
  if (caller?.isStaff !== true || company !== caller.merchantUuid) return html``;
  const next = kept.find(([name]) => name === 'next')?.[1] ?? '/console';
  const query = new URLSearchParams({ fresh: 'true', next }).toString();
  return html`<p class="divider">${t('paywall.or')}</p>
    <a class="button full" href="/accounts/company/${company}?${query}">${t('console.company.again')}</a>`;
}

/** Records the answer in the session. */
export async function giveConfirmation({ call }: Visit, answer: ConfirmationAnswer): Promise<void> {
  const { _confirm_code: code, _confirm_passkey: passkey, _confirm_password: password } = answer;
  if (passkey !== undefined) await call(passkeyEndpoints.confirmByPasskey, { body: { credential: readJson(passkey) } });
  else if (code !== undefined) await call(secondFactorEndpoints.verifySecondFactor, { body: { code } });
  else if (password !== undefined) await call(secondFactorEndpoints.verifyPassword, { body: { password } });
  else throw new AppError('missing_parameter');
}
