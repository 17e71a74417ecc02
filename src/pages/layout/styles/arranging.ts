import { css } from './css';

/** Where things stand, and what boxes they stand in. */
export const arrangingStyle = css`
  /* Arranging */
  .stack > * + * {
    margin-block-start: var(--space);
  }
  /* What is not seen takes no room. */
  .stack > [type='hidden']:first-child + *,
  .stack > [type='hidden']:first-child + [type='hidden'] + * {
    margin-block-start: 0;
  }
  .tight > * + * {
    margin-block-start: 0.375rem;
  }
  .roomy > * + * {
    margin-block-start: 2rem;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: center;
  }
  .row:has(> details[open]) {
    align-items: start;
  }
  .row.spread {
    justify-content: space-between;
  }
  .row.middle {
    justify-content: center;
  }
  .grid {
    display: grid;
    gap: var(--space);
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr));
  }
  .halves {
    display: grid;
    gap: var(--space);
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 8rem), 1fr));
  }
  /* Labels, inputs and hints of neighbours stand at one height, however many lines they take. */
  .halves:has(> .field) {
    row-gap: 0;
    margin-block-end: calc(-1 * var(--space));
  }
  .halves > .field {
    display: grid;
    grid-row: span 4;
    grid-template-rows: subgrid;
    grid-template-columns: minmax(0, 1fr);
    align-items: end;
    padding-block-end: var(--space);
  }
  .halves > .field > :not(label, input, select, textarea) {
    align-self: start;
  }
  .sided {
    display: grid;
    gap: 1.5rem;
    grid-template-columns: minmax(0, 1fr);
  }
  @media (min-width: 60rem) {
    .sided {
      grid-template-columns: 13rem minmax(0, 1fr);
    }
  }
  .quiet {
    color: var(--quiet);
  }
  .small {
    font-size: 0.875rem;
  }
  .centred {
    text-align: center;
  }
  .strong {
    font-weight: 650;
  }
  .end {
    text-align: end;
  }
  .amount {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }

  /* Boxes */
  .card {
    background: var(--paper);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: var(--shadow);
    padding: 1.25rem;
  }
  .alert {
    border-radius: var(--radius);
    border: 1px solid currentColor;
    padding: 0.75rem 1rem;
    background: var(--note-soft);
    color: var(--note);
  }
  .alert.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .alert.bad {
    background: var(--bad-soft);
    color: var(--bad);
  }
  .alert.warn {
    background: var(--warn-soft);
    color: var(--warn);
  }
  .lost {
    position: sticky;
    top: 0.5rem;
    z-index: 2;
    padding: 0.75rem 1rem;
    border-radius: var(--radius);
    background: var(--warn-soft);
    color: var(--warn);
  }
  .lost:empty {
    display: none;
  }
  .alert a {
    color: inherit;
  }
  .alert ul {
    padding-inline-start: 1.25rem;
  }
  .badge {
    display: inline-block;
    border-radius: 999px;
    padding: 0.0625rem 0.625rem;
    font-size: 0.8125rem;
    font-weight: 600;
    background: var(--soft);
    color: var(--quiet);
    white-space: nowrap;
  }
  .badge.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .badge.bad {
    background: var(--bad-soft);
    color: var(--bad);
  }
  .badge.warn {
    background: var(--warn-soft);
    color: var(--warn);
  }
  .badge.note {
    background: var(--note-soft);
    color: var(--note);
  }
  .stat dt,
  .facts dt {
    color: var(--quiet);
    font-size: 0.875rem;
  }
  .stat dd {
    font-size: clamp(1.125rem, 5vw, 1.625rem);
    font-weight: 650;
    font-variant-numeric: tabular-nums;
    line-height: 1.2;
  }
  .facts {
    display: grid;
    gap: 0.375rem 1.25rem;
    grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
  }
  @media (max-width: 30rem) {
    .facts {
      row-gap: 0;
      grid-template-columns: minmax(0, 1fr);
    }
    .facts dd + dt {
      margin-block-start: 0.5rem;
    }
  }
  .empty {
    text-align: center;
    color: var(--quiet);
    padding: 2.5rem 1rem;
  }
`;
