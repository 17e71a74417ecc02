import { css } from './css';

/** The merchant's console. */
export const consoleStyle = css`
  /* The console */
  .banner .on-banner {
    color: inherit;
  }
  .grid:has(> .stat) {
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr));
  }
  .console-menu {
    min-width: 0;
    overflow-x: auto;
  }
  .console-menu .menu {
    flex-wrap: nowrap;
  }
  .console-menu a {
    white-space: nowrap;
  }
  @media (min-width: 60rem) {
    .console-menu {
      position: sticky;
      inset-block-start: 1rem;
      align-self: start;
    }
  }
  @media (max-width: 59.99rem) {
    /* Its ends fade: there is more. */
    .console-menu {
      margin-inline: -1.25rem;
      padding-inline: 1.25rem;
      scrollbar-width: none;
      mask-image: linear-gradient(to right, transparent, #000 1.25rem, #000 calc(100% - 2rem), transparent);
    }
  }
  #page {
    min-width: 0;
  }
  .steps {
    padding-inline-start: 1.5rem;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: end;
  }
  .filters > .field {
    flex: 1 1 9rem;
  }
  .filters > .alert {
    flex-basis: 100%;
  }
  .filters > button {
    flex: none;
  }
  .halves.wide,
  .halves:has(> .field > [type='datetime-local']) {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
  }
  /* Colours stand in two columns: four in a row are three and one where the window is not wide. */
  .halves:has(> .field > [type='color']) {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
  .grid.tightly {
    gap: 0.5rem;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr));
  }
  .asking > summary {
    list-style: none;
  }
  .asking > summary::-webkit-details-marker {
    display: none;
  }
  .asking[open] > summary {
    margin-block-end: 0.5rem;
  }
  td .asking .card {
    min-width: 14rem;
    white-space: normal;
  }
  .more > summary {
    font-weight: 600;
    padding-block: 0.5rem;
  }
  .more[open] > summary {
    margin-block-end: 0.5rem;
  }
  .previewed {
    display: grid;
    gap: 1.5rem;
    grid-template-columns: minmax(0, 1fr);
  }
  @media (min-width: 72rem) {
    .previewed {
      grid-template-columns: minmax(0, 1fr) 24rem;
    }
  }
  form:has(input[name='own_preview_buttons']:not(:checked)) .if-own-buttons {
    display: none;
  }
  .preview-frame {
    display: block;
    width: 100%;
    height: 36rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--ground);
  }
  .mail > summary {
    display: flex;
    flex-wrap: wrap;
    gap: 0.125rem 0.75rem;
    align-items: baseline;
  }
  .mail > summary > .strong {
    color: var(--accent);
    text-decoration: underline;
  }
  .mail[open] > summary {
    margin-block-end: 1rem;
  }
  .mail .content-frame {
    height: 32rem;
    margin-block-end: 0.75rem;
  }
  .mail pre {
    white-space: pre-wrap;
    font-family: inherit;
    margin-block: 0.75rem 0;
  }
  .charts {
    display: grid;
    gap: var(--space);
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  }
  .meaning > summary {
    color: var(--quiet);
    width: fit-content;
  }
  .meaning[open] > summary {
    margin-block-end: 0.5rem;
  }
  .meaning dl {
    max-width: 46rem;
  }
  .totals {
    list-style: none;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.5rem;
  }
  .cohorts td a,
  .cohorts th a {
    color: inherit;
  }
  .share-1 {
    background: #e9f1fd;
  }
  .share-2 {
    background: #cfe0fb;
  }
  .share-3 {
    background: #b3cef8;
  }
  .share-4 {
    background: #93b9f3;
  }
`;
