import { css } from './css';

/** The customer portal. */
export const portalStyle = css`
  /* The portal */
  .portal-menu a {
    white-space: nowrap;
  }
  @media (min-width: 60rem) {
    .portal-menu {
      position: sticky;
      inset-block-start: 1rem;
      align-self: start;
    }
  }
  .slender {
    max-width: 34rem;
  }
  .entries {
    list-style: none;
    padding-block: 0;
  }
  .entries > li {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.25rem;
    align-items: center;
    justify-content: space-between;
    padding-block: 0.875rem;
  }
  .entries > li + li {
    border-top: 1px solid var(--line);
  }
  .entries > li > :first-child {
    flex: 1 1 10rem;
  }
  .entries > li > :last-child:not(:first-child) {
    flex: none;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: flex-start;
  }
  .actions .asking[open] {
    flex-basis: 100%;
  }
  .actions .asking .card {
    max-width: 34rem;
  }
  .lines > * + * {
    margin-block-start: 0.5rem;
  }
  .lines .total {
    font-size: 1.125rem;
  }
  .waits {
    display: flex;
    gap: 0.75rem;
    align-items: center;
  }
  .spinner.small {
    width: 1.25rem;
    height: 1.25rem;
    border-width: 3px;
    margin: 0;
    flex: none;
  }
`;
