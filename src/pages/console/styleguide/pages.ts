import { signedIn } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { isTestEnvironment } from '../../../platform';
import { textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage } from '../crudPages';
import { type MerchantVisit, showInConsole } from '../frame';
import { actions } from './actions';
import { fields } from './fields';
import { figures } from './figures';
import { foundations } from './foundations';
import { messages, offers } from './messages';
import { place } from './place';
import { lists } from './rows';

/** Every shared part of the pages in each of its states. It exists in the test environment only. */
export const styleguidePages = {
  showStyleguide: showPage({
    auth: signedIn(),
    path: place,
    summary: 'The parts of the pages; test environment only',
    show: styleguide,
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

function styleguide(visit: MerchantVisit, _state: PageState): PageResponse {
  refuseInProduction();
  const texts = textsFor(visit);
  const { t } = texts;
  const sections = {
    foundations: foundations(visit, texts),
    actions: actions(visit, texts),
    fields: fields(visit, texts),
    messages: messages(texts),
    lists: lists(visit, texts),
    figures: figures(texts),
    offers: offers(texts),
  };
  const shown = Object.entries(sections).map(([name, content]) => {
    const title = t(`console.styleguide.sections.${name as keyof typeof sections}`);
    return sectionOf(name, title, content);
  });
  const links = Object.keys(sections).map(
    (name) =>
      html`<li><a href="#${name}">${t(`console.styleguide.sections.${name as keyof typeof sections}`)}</a></li>`,
  );
  const content = html`<p class="quiet">${t('console.styleguide.explain')}</p>
    <nav aria-label="${t('console.styleguide.title')}">
      <ul class="tabs">
        ${links}
      </ul>
    </nav>
    ${shown}`;
  const back = { address: '/console/test-clock', text: t('console.sections.clock') };
  return showInConsole(visit, { section: 'clock', title: t('console.styleguide.title'), back, done: 'saved' }, content);
}

const sectionOf = (name: string, title: string, content: Html) =>
  html`<section class="stack" id="${name}">
    <h2>${title}</h2>
    ${content}
  </section>`;
