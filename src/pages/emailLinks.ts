import { type AppError } from '../kit/errors';
import { html } from '../kit/html';
import { continueButton } from './customer/home';
import { type OpenedLink, openedPage, passwordField } from './customer/openedLinks';
import { submit } from './layout/forms';
import { facts } from './layout/lists';
import { plainTexts } from './layout/plain';

/** The pages behind the links in mails about a change of an address. A button acts, so that a mail scanner changes nothing. */

interface Confirmation {
  email: string;
  /** The visitor has not signed in here, so the password shows that the account is the visitor's own. */
  asksPassword: boolean;
  /** The password of the last attempt was wrong. */
  refused?: AppError;
}

export function emailConfirmationPage(link: OpenedLink, { email, asksPassword, refused }: Confirmation) {
  const texts = plainTexts(link.request);
  const { t } = texts;
  const password =
    asksPassword &&
    html`<p>${t('links.emailPassword')}</p>
      ${passwordField(texts, refused)}`;
  const content = html`<p>${t('links.emailHint')}</p>
    ${facts([[t('links.emailNew'), html`<bdi>${email}</bdi>`]])}
    <form method="post" class="stack">${password} ${submit(t('links.emailConfirm'), { isFull: true })}</form>`;
  return openedPage(link, { title: t('links.emailTitle') }, content);
}

export function emailChangedPage(link: OpenedLink, email: string) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t('links.emailChangedHint')}</p>
    ${facts([[t('common.email'), html`<bdi>${email}</bdi>`]])}
    ${continueButton(link.home.linkTo?.('sign-in'), t('links.goOn'))}`;
  return openedPage(link, { title: t('links.emailChanged'), isDone: true }, content);
}

/** Only the owner of the mailbox reads this, so it may say that the address has another account. */
export function emailTakenPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t('links.emailTakenHint')}</p>
    ${continueButton(link.home.linkTo?.('sign-in'), t('links.goOn'))}`;
  return openedPage(link, { title: t('links.emailTaken') }, content);
}

export function emailRefusalPage(link: OpenedLink, { email, isMoved }: { email: string; isMoved: boolean }) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t(isMoved ? 'links.emailUndoHint' : 'links.emailStopHint')}</p>
    ${facts([[t('links.emailNew'), html`<bdi>${email}</bdi>`]])}
    <form method="post">${submit(t('links.emailStop'), { isFull: true })}</form>`;
  return openedPage(link, { title: t('links.emailStopTitle') }, content);
}

/** Another account has the former address, so this one is deactivated. */
export function accountClosedPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  return openedPage(link, { title: t('links.accountClosed') }, html`<p>${t('links.accountClosedHint')}</p>`);
}
