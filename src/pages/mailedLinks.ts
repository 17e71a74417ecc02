import { type AppError } from '../kit/errors';
import { html, type Html } from '../kit/html';
import { continueButton } from './customer/home';
import { type OpenedLink, openedPage, passwordField } from './customer/openedLinks';
import { submit } from './layout/forms';
import { type Texts } from './layout/texts';
import { plainTexts } from './layout/plain';

/**
 * The page that activates an account. It has a button, so that a mail scanner that follows the link does not use it.
 */
export function activationPage(
  link: OpenedLink,
  { asksPassword, refused }: { asksPassword: boolean; refused?: AppError },
) {
  const texts = plainTexts(link.request);
  const { t } = texts;
  const button = submit(t('links.activate'), { isFull: true });
  const content = asksPassword
    ? passwordQuestion(texts, refused, button)
    : html`<p>${t('links.activateHint')}</p>
        <form method="post">${button}</form>`;
  return openedPage(link, { title: t('links.activateTitle') }, content);
}

/**
 * In another browser, the password proves that this person has registered. A person who does not know it sets a new
 * one.
 */
function passwordQuestion(texts: Texts, refused: AppError | undefined, button: Html): Html {
  const { t } = texts;
  const other = submit(t('links.notMyPassword'), { name: 'do', value: 'take', isFull: true, kind: 'other' });
  return html`<p>${t('links.activateByPassword')}</p>
    <form method="post" class="stack">${passwordField(texts, refused)} ${button}</form>
    <p class="quiet small">${t('links.notMyPasswordHint')}</p>
    <form method="post">${other}</form>`;
}

export function activatedPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t('links.activatedHint')}</p>
    ${continueButton(link.home.linkTo?.('sign-in'), t('links.goOn'))}`;
  return openedPage(link, { title: t('links.activated'), isDone: true }, content);
}

export function exportConfirmationPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  return openedPage(
    link,
    { title: t('links.exportTitle') },
    html`<p>${t('links.exportHint')}</p>
      <form method="post">${submit(t('links.export'), { isFull: true })}</form>`,
  );
}

export function exportConfirmedPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  return openedPage(link, { title: t('links.exported'), isDone: true }, html`<p>${t('links.exportedHint')}</p>`);
}

/** The page has a button, so that a mail scanner that follows the link does not use it. */
export function factorRejectionPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t('links.rejectFactorHint')}</p>
    <form method="post">${submit(t('links.rejectFactor'), { isFull: true })}</form>`;
  return openedPage(link, { title: t('links.rejectFactorTitle') }, content);
}

export function passwordChangedPage(link: OpenedLink) {
  const { t } = plainTexts(link.request);
  const content = html`<p>${t('links.passwordChangedHint')}</p>
    ${continueButton(link.home.linkTo?.('sign-in'), t('common.signIn'))}`;
  return openedPage(link, { title: t('links.passwordChanged'), isDone: true }, content);
}
