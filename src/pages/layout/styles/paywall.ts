import { css } from './css';

/** The paywall, and the content behind it. */
export const paywallStyle = css`
  /* The paywall */
  .cover {
    display: block;
    width: calc(100% + 2.5rem);
    max-width: none;
    max-height: 14rem;
    margin: -1.25rem -1.25rem 1.25rem;
    object-fit: cover;
  }
  .preview {
    overflow: hidden;
  }
  .preview.lined::before {
    content: '';
    display: block;
    height: 5px;
    margin: -1.25rem -1.25rem 1.25rem;
    background: var(--primary);
  }
  /* How a brand lays it out: 1 has the picture above the text */
  @media (min-width: 30rem) {
    .preview.template-2:has(.cover) {
      display: grid;
      grid-template-columns: 2fr 3fr;
      gap: 0 1.25rem;
      align-items: center;
    }
    .preview.template-2.lined::before {
      grid-column: 1 / -1;
    }
    .preview.template-2 .cover {
      width: calc(100% + 1.25rem);
      height: calc(100% + 2.5rem);
      max-height: none;
      min-height: 11rem;
      margin-block: -1.25rem;
      margin-inline: -1.25rem 0;
    }
    .preview.template-2.lined .cover {
      height: calc(100% + 1.25rem);
      margin-block-start: -1.25rem;
    }
  }
  .preview.template-3 {
    text-align: center;
  }
  .preview.template-4:has(.cover) {
    display: flex;
    flex-direction: column;
  }
  .preview.template-4 .cover {
    order: 1;
    margin-block: 1.25rem -1.25rem;
  }
  .preview.template-5 .cover {
    max-height: 5rem;
  }
  .preview.template-5 h1 {
    font-size: 1.25rem;
  }
  .preview.template-6 {
    border: 0;
    border-radius: 0;
    background: transparent;
    box-shadow: none;
  }
  .preview.template-6 .cover {
    border-radius: var(--radius);
  }
  .preview.template-7 .cover {
    max-height: none;
    aspect-ratio: 4 / 3;
  }
  .preview.template-7 h1 {
    font-size: 1.875rem;
  }
  .protected {
    display: flex;
    gap: 0.375rem;
    align-items: center;
    justify-content: center;
  }
  .protected svg {
    flex: none;
    width: 1em;
    height: 1em;
  }
  .fee {
    display: flex;
    flex-direction: column;
    gap: 0.125rem;
  }
  .choice.still {
    cursor: default;
  }
  .joined {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0.5rem;
    align-items: end;
  }
  .joined:has(.hint, .complaint) {
    align-items: center;
  }
  .card-row {
    display: grid;
    gap: 0.75rem;
    grid-template-columns: repeat(3, minmax(0, 1fr));
    align-items: end;
  }
  .total {
    padding-block: 0.75rem;
    border-block: 1px solid var(--line);
  }
  .total > .small {
    flex-basis: 100%;
  }
  .total-amount {
    font-size: 1.25rem;
  }
  .on-banner {
    color: inherit;
  }
  form:has(input[name='card'][value='saved']:checked) .if-new-card {
    display: none;
  }

  /* An item's content */
  main.narrow:has(.content-frame) {
    max-width: 60rem;
  }
  .content-frame {
    display: block;
    width: 100%;
    min-height: min(70vh, 42rem);
    border: 0;
    /* What is in it was written for a light page. */
    color-scheme: light;
    background: #ffffff;
    border-radius: var(--radius);
  }
`;
