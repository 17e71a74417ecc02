import { type secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type AppError } from '../../kit/errors';
import { copyable, copyButton } from '../layout/copyable';
import { type AnswerOf } from '../layout/answers';
import { type Complaint } from '../layout/explain';
import { confirmButton, complaints, field, form, submit } from '../layout/forms';
import { qrCode } from '../layout/qrCode';
import { type Texts } from '../layout/texts';

/** The second factor of an account, in the portal and in the console. */

type Factors = AnswerOf<typeof secondFactorEndpoints.listSecondFactors>;
export type NewFactor = AnswerOf<typeof secondFactorEndpoints.startSecondFactor>;

/** The form that was refused, with its error. */
export interface RefusedForm {
  form: 'start' | 'newCodes' | 'switchOff';
  complaint: Complaint;
}

interface Section {
  factors: Factors;
  /** An account without a password needs a new sign-in in its place. */
  asksPassword: boolean;
  /** The common start of the addresses of the forms. */
  address: string;
  refused: RefusedForm | undefined;
}

/** Whether the account has a second factor, with the forms that change it. */
export function factorSection(visit: Visit, texts: Texts, section: Section): Html {
  const { t } = texts;
  const [factor] = section.factors.collection;
  return html`<section class="card stack" id="second-factor">
    <div class="row spread">
      <h2>${t('secondFactor.title')}</h2>
      <span class="badge ${factor ? 'good' : ''}">${t(factor ? 'secondFactor.on' : 'secondFactor.off')}</span>
    </div>
    ${factor ? switchedOn(visit, texts, section, factor) : switchedOff(visit, texts, section)}
  </section>`;
}

function switchedOff(visit: Visit, texts: Texts, { address, asksPassword, refused }: Section): Html {
  const { t } = texts;
  const complaint = refused?.complaint;
  const label = t('common.password');
  const content = html`${complaints(texts, complaint, { password: label })}
  ${asksPassword && field(texts, { name: 'password', type: 'password', label, autocomplete: 'current-password', isRequired: true, complaint })}
  ${submit(t('secondFactor.start'))}`;
  return html`<p>${t('secondFactor.offHint')}</p>
    ${form(visit, { action: address, content, name: 'start-factor' })}`;
}

function switchedOn(
  visit: Visit,
  texts: Texts,
  { address, factors, refused }: Section,
  { id, confirmed_at }: Factors['collection'][number],
): Html {
  const { t } = texts;
  const codeFor = (name: RefusedForm['form']) => {
    const complaint = refused?.form === name ? refused.complaint : undefined;
    return html`${complaint && complaints(texts, { ...complaint, fields: {} }, [])}
    ${codeField(texts, { name: `${name}_code`, hint: t('secondFactor.codeHint') })}`;
  };
  const ask = (name: 'newCodes' | 'switchOff', action: string, isDangerous: boolean) =>
    confirmButton(visit, {
      label: t(`secondFactor.${name}`),
      question: t(`secondFactor.${name}Question`),
      ...{ action, isDangerous, name, isOpen: refused?.form === name, fields: codeFor(name) },
    });
  return html`<p>${t('secondFactor.onHint')}</p>
    <p class="quiet small">
      ${t('sessions.since', { time: texts.dateTime(confirmed_at) })} ·
      ${t('secondFactor.codesLeft', { count: factors.recovery_codes_left })}
    </p>
    <div class="row">
      ${ask('newCodes', `${address}/recovery-codes`, false)} ${ask('switchOff', `${address}/${id}/off`, true)}
    </div>`;
}

interface SetUp {
  /** The address of the form for the first code. */
  action: string;
  /** Shown once. After a wrong code the page no longer has it, but the app already has the account. */
  started?: NewFactor | undefined;
  complaint?: Complaint | undefined;
}

/** The picture for the authenticator app, and the form for its first code. */
export function setUpCard(visit: Visit, texts: Texts, { action, started, complaint }: SetUp): Html {
  const { t } = texts;
  const label = t('secondFactor.code');
  const content = html`${complaints(texts, complaint, { code: label })}
  ${codeField(texts, { name: 'code', hint: t('secondFactor.firstCodeHint'), complaint })}
  ${submit(t('secondFactor.confirm'))}`;
  const secret = started && (started.secret.match(/.{4}/g) ?? []).join(' ');
  return html`<section class="card stack slender">
    ${
      started &&
      html`<p>${t('secondFactor.scan')}</p>
        ${qrCode(started.uri, t('secondFactor.picture'))}
        <p>
          ${t('secondFactor.type')}
          ${copyable(texts, { value: started.secret, name: t('secondFactor.key'), shown: secret })}
        </p>`
    }
    ${form(visit, { action, content, name: 'confirm-factor' })}
  </section>`;
}

/** The recovery codes, which no other page shows. `next`: the next page. */
export function codesCard(texts: Texts, codes: readonly string[], next: string): Html {
  const { t } = texts;
  const entries = codes.map((code) => html`<li><code dir="ltr">${code}</code></li>`);
  return html`<section class="card stack">
    <p class="alert warn" role="status">${t('secondFactor.codesHint')}</p>
    <ol class="codes" id="codes">
      ${entries}
    </ol>
    <p class="copyable">${copyButton(texts, { codesOf: 'codes', name: t('secondFactor.codesTitle') })}</p>
    <p><a class="button main" href="${next}">${t('secondFactor.stored')}</a></p>
  </section>`;
}

/** The second step of a sign-in whose password was right. */
export interface SecondStep {
  /** The challenge that replaces the password. */
  challenge: string;
  complaint?: Complaint | undefined;
}

/**
 * The second step after a refused sign-in. Undefined if the sign-in starts again. `sent`: the challenge in the form.
 */
export function secondStepOf(
  { error, refused }: { error: AppError; refused: Complaint },
  sent: string | undefined,
): SecondStep | undefined {
  const { challenge } = error.details;
  if (challenge !== undefined) return { challenge };
  if (sent === undefined || sent === '' || error.code === 'second_factor_challenge_invalid') return undefined;
  return { challenge: sent, complaint: refused };
}

interface CodeEntry extends SecondStep {
  action: string;
  target?: string;
  /** Hidden fields of the form. */
  kept?: Written;
  /** Whether the page has no other heading. */
  isAlone?: boolean;
}

/** The second step of a sign-in. */
export function codeCard(
  visit: Visit,
  texts: Texts,
  { challenge, complaint, kept, isAlone, ...sent }: CodeEntry,
): Html {
  const { t } = texts;
  // The error of the endpoint names the field `code`.
  const name = 'second_factor_code';
  const text = complaint?.fields['code'] ?? complaint?.fields[name];
  const shown = complaint && { message: complaint.message, fields: text === undefined ? {} : { [name]: text } };
  const content = html`${complaints(texts, shown, { [name]: t('secondFactor.code') })} ${kept}
    <input type="hidden" name="second_factor_challenge" value="${challenge}" />
    ${codeField(texts, { name, hint: t('secondFactor.signInHint'), complaint: shown })}
    ${submit(t('common.signIn'), { isFull: true })}`;
  const title = t('secondFactor.signInTitle');
  const focus = complaint ? '' : html`data-focus`;
  return html`<section class="card stack">
    ${isAlone === true ? html`<h1 tabindex="-1" ${focus}>${title}</h1>` : html`<h2 tabindex="-1" ${focus}>${title}</h2>`}
    ${form(visit, { ...sent, content, name: 'second-factor' })}
  </section>`;
}

export function codeField(
  texts: Texts,
  options: { name: string; hint: string; complaint?: Complaint | undefined },
): Html {
  const more = { dir: 'ltr', spellcheck: 'false', autocapitalize: 'off' };
  const label = texts.t('secondFactor.code');
  return field(texts, { ...options, label, more, autocomplete: 'one-time-code', isRequired: true });
}
