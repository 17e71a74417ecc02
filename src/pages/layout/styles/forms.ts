import { css } from './css';

/** Fields, choices and buttons. */
export const formsStyle = css`
  /* Forms */
  .field {
    display: block;
  }
  .field > label:not(.choice),
  .field > legend,
  .label {
    display: block;
    font-weight: 600;
    font-size: 0.9375rem;
    margin-block-end: 0.25rem;
  }
  fieldset {
    border: 0;
    min-width: 0;
  }
  legend {
    padding: 0;
  }
  fieldset.stack > legend + * {
    margin-block-start: 0.25rem;
  }
  input,
  select,
  textarea,
  button,
  .button {
    font: inherit;
  }
  input:not([type='checkbox'], [type='radio'], [type='color'], [type='hidden']),
  select,
  textarea {
    display: block;
    width: 100%;
    min-height: 2.75rem;
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--paper);
    color: var(--ink);
  }
  textarea {
    min-height: 6rem;
    resize: vertical;
  }
  input[type='color'] {
    width: 3.5rem;
    height: 2.75rem;
    padding: 0.125rem;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--paper);
  }
  input[type='checkbox'],
  input[type='radio'] {
    width: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
    flex: none;
  }
  [aria-invalid='true'] {
    border-color: var(--bad) !important;
    box-shadow: 0 0 0 1px var(--bad);
  }
  .hint {
    color: var(--quiet);
    font-size: 0.875rem;
    margin-block-start: 0.25rem;
  }
  .complaint {
    color: var(--bad);
    font-size: 0.875rem;
    font-weight: 600;
    margin-block-start: 0.25rem;
  }
  .check {
    display: flex;
    gap: 0.625rem;
    align-items: flex-start;
  }
  .check label {
    font-weight: 400;
    line-height: 1.35;
  }
  .choice {
    display: flex;
    gap: 0.875rem;
    align-items: center;
    padding: 0.875rem 1rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
    background: var(--paper);
    cursor: pointer;
  }
  .choice + .choice {
    margin-block-start: 0.5rem;
  }
  .choice:has(:checked) {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 1px var(--accent);
  }
  .choice:has(:focus-visible) {
    outline: 3px solid #2f6fed;
    outline-offset: 2px;
  }
  .button,
  button:not(.plain) {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5rem;
    min-height: 2.75rem;
    padding: 0.5rem 1.125rem;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--paper);
    color: var(--ink);
    font-weight: 600;
    text-decoration: none;
    text-align: center;
    cursor: pointer;
  }
  .button:hover,
  button:not(.plain):hover {
    filter: brightness(0.96);
  }
  .button.main,
  button.main:not(.plain) {
    background: var(--button);
    border-color: var(--button);
    color: var(--on-button);
  }
  .button.main.offer {
    background: var(--preview-button);
    border-color: var(--preview-button);
    color: var(--on-preview-button);
  }
  .button.danger,
  button.danger:not(.plain) {
    background: var(--bad);
    border-color: var(--bad);
    color: var(--on-bad);
  }
  .button.full,
  button.full {
    width: 100%;
  }
  .button.slim,
  button.slim:not(.plain) {
    min-height: 2.125rem;
    padding: 0.25rem 0.75rem;
    font-size: 0.875rem;
  }
  button[disabled],
  .htmx-request button[type='submit'] {
    opacity: 0.6;
    cursor: progress;
  }
  button.plain,
  .plain {
    border: 0;
    padding: 0;
    background: none;
    color: var(--accent);
    text-decoration: underline;
    cursor: pointer;
    font-weight: inherit;
  }
  .divider {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    color: var(--quiet);
    font-size: 0.875rem;
  }
  .divider::before,
  .divider::after {
    content: '';
    flex: 1;
    border-top: 1px solid var(--line);
  }
`;
