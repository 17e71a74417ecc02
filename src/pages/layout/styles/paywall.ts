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
