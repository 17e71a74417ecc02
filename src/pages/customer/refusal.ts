import { type RequestFacts } from '../../kit/endpoint';
import { type AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { explain } from '../layout/explain';
import { picturesAllowed, plainPage, plainTexts } from '../layout/plain';
import { type Texts } from '../layout/texts';
import { type Home, continueButton } from './home';

/** The error page for a link, in the merchant's branding, with a link to try again. */
export function refusalPage(error: AppError, request: RequestFacts, { theme }: Pick<Home, 'theme'>) {
  const texts = plainTexts(request);
  const { title, text } = tellOf(texts, error);
  const isUnknownAddress = error.status === 404;
  // The link leads to the same address. After a refused form, that address shows the form again.
  const again = isUnknownAddress ? '' : continueButton(`?${request.queryText}`, texts.t('common.tryAgain'));
  const content = html`<h1>${title}</h1>
    <p>${text}</p>
    ${again}`;
  return plainPage(request, { title, theme, allows: [picturesAllowed] }, content);
}

function tellOf(texts: Texts, error: AppError): { title: string; text: string } {
  const { t } = texts;
  const seconds = error.details.retryAfterSeconds;
  if (error.status === 404) return { title: t('links.notFound'), text: t('links.notFoundHint') };
  if (error.status === 429 && seconds !== undefined)
    return { title: t('links.tooOften'), text: t('links.tooOftenHint', { count: seconds }) };
  return { title: t('common.errorTitle'), text: explain(texts, error).message };
}
