import { type MailBrand } from '../branding/branding';
import { html, Html } from '../kit/html';
import { light } from './mailStyle';
import { type Words } from './words';

/** The foot of a mail: why the reader gets it, the merchant's own footer, and the links to the account and the terms. */
export function footerOf(
  { name, footer, termsUrl }: MailBrand,
  { t }: Words,
  manage: { url: string; label: string } | undefined,
): Html {
  const link = (url: string, label: string) =>
    html` · <a href="${url}" class="quiet" style="color:${light.quiet}">${label}</a>`;
  const why = manage && html`<p style="margin:0 0 8px">${t('layout.why', { brand: name })}</p>`;
  return html`${why} ${new Html(footer)}
    <p style="margin:8px 0 0">
      <bdi>${name}</bdi
      >${manage && link(manage.url, manage.label)}${termsUrl !== '' && link(termsUrl, t('layout.terms'))}
    </p>`;
}
