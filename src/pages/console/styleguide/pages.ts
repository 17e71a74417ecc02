import { signedIn } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { isTestEnvironment } from '../../../platform';
import { type Texts, textsFor } from '../../layout/texts';
import { formPage, showPage } from '../crudPages';
import { type MerchantVisit, showInConsole } from '../frame';
import { actions } from './actions';
import { fields } from './fields';
import { figures } from './figures';
import { foundations } from './foundations';
import { messages, offers } from './messages';
import { dataPlace, place } from './place';
import { lists } from './rows';

/**
 * Every shared part of the pages in each of its states, in two pages: one page with all parts would be the largest of the
 * console. They exist in the test environment only.
 */
export const styleguidePages = {
  showStyleguide: showPage({
    auth: signedIn(),
    path: place,
    summary: 'The parts of the pages; test environment only',
    show: (visit) => styleguide(visit, place, inputs),
  }),
  showStyleguideData: showPage({
    auth: signedIn(),
    path: dataPlace,
    summary: 'The parts of the pages that show rows and figures; test environment only',
    show: (visit) => styleguide(visit, dataPlace, outputs),
  }),
  submitStyleguide: formPage({
    auth: signedIn(),
    path: place,
    summary: 'Receives the forms of the style guide, and stores nothing',
    work: () => Promise.resolve(refuseInProduction()),
    next: place,
  }),
};

function refuseInProduction(): void {
  if (!isTestEnvironment) throw new AppError('not_found');
}

type Sections = Record<string, (visit: MerchantVisit, texts: Texts) => Html>;

const inputs = {
  foundations,
  actions,
  fields,
  messages: (_visit, texts) => messages(texts),
} as const satisfies Sections;
const outputs = {
  lists,
  figures: (_visit, texts) => figures(texts),
  offers: (_visit, texts) => offers(texts),
} as const satisfies Sections;
type SectionName = keyof typeof inputs | keyof typeof outputs;

function styleguide(visit: MerchantVisit, address: string, sections: Sections): PageResponse {
  refuseInProduction();
  const texts = textsFor(visit);
  const { t } = texts;
  const titleOf = (name: string) => t(`console.styleguide.sections.${name as SectionName}`);
  const shown = Object.entries(sections).map(
    ([name, content]) =>
      html`<section class="stack" id="${name}">
        <h2>${titleOf(name)}</h2>
        ${content(visit, texts)}
      </section>`,
  );
  const linksTo = (page: string, names: Sections) =>
    Object.keys(names).map(
      (name) => html`<li><a href="${page === address ? '' : page}#${name}">${titleOf(name)}</a></li>`,
    );
  const content = html`<p class="quiet">${t('console.styleguide.explain')}</p>
    <nav aria-label="${t('console.styleguide.title')}">
      <ul class="tabs">
        ${linksTo(place, inputs)} ${linksTo(dataPlace, outputs)}
      </ul>
    </nav>
    ${shown}`;
  const back = { address: '/console/test-clock', text: t('console.sections.clock') };
  return showInConsole(visit, { section: 'clock', title: t('console.styleguide.title'), back, done: 'saved' }, content);
}
