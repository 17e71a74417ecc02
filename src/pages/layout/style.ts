/** Stands for the text itself; the name tells the formatter what is in it. */
const css = String.raw;

/**
 * The one style sheet. Colours, space and sizes are custom properties; a merchant's theme sets `--primary` and its like.
 * Sides are logical (`inline-start`), so that a page reads from the right as well. Usable from 320 px on.
 */
export const styleSheet = css`
  :root {
    --primary: #1d4ed8;
    --on-primary: #ffffff;
    --accent: #1d4ed8;
    --button: #1d4ed8;
    --on-button: #ffffff;
    --ink: #1b1b1f;
    --quiet: #5c5c66;
    --ground: #f4f4f6;
    --paper: #ffffff;
    --soft: #f0f0f4;
    --line: #dcdce3;
    --edge: #85858f;
    --good: #166534;
    --good-soft: #e7f6ec;
    --bad: #a3161a;
    --bad-soft: #fdecec;
    --warn: #7a4a00;
    --warn-soft: #fff4de;
    --note: #1e4a8a;
    --note-soft: #e9f1fd;
    --chart-1: #2f5fd0;
    --chart-2: #c2560c;
    --chart-3: #177a5b;
    --chart-4: #8b3fb5;
    --chart-5: #a3163f;
    --chart-6: #4b5563;
    --space: 1rem;
    --radius: 10px;
    --shadow: 0 1px 2px #1b1b1f14, 0 4px 16px #1b1b1f0f;
    --mono: ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace;
    color-scheme: light;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  html {
    -webkit-text-size-adjust: 100%;
    text-size-adjust: 100%;
  }
  body {
    margin: 0;
    min-height: 100vh;
    display: flex;
    flex-direction: column;
    background: var(--ground);
    color: var(--ink);
    font:
      1rem/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Noto Sans',
      'Noto Sans Arabic',
      sans-serif;
    overflow-wrap: anywhere;
  }
  /* In a frame, which is made as high as this is */
  body.bare {
    min-height: 0;
    background: transparent;
  }
  body.bare main {
    padding-block: 1rem;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  figure,
  fieldset {
    margin: 0;
    padding: 0;
  }
  h1 {
    font-size: 1.5rem;
    line-height: 1.25;
    text-wrap: balance;
  }
  h2 {
    font-size: 1.125rem;
    line-height: 1.3;
  }
  h3 {
    font-size: 1rem;
    line-height: 1.4;
  }
  a {
    color: var(--accent);
  }
  img,
  svg,
  iframe {
    max-width: 100%;
  }
  hr {
    border: 0;
    border-top: 1px solid var(--line);
    margin: 0;
  }
  code,
  .code {
    font-family: var(--mono);
    font-size: 0.9em;
  }
  :focus-visible {
    outline: 3px solid #2f6fed;
    outline-offset: 2px;
    border-radius: 4px;
  }
  [tabindex='-1']:focus {
    outline: none;
  }
  .hidden,
  .visually-hidden:not(:focus):not(:active) {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .skip {
    position: absolute;
    inset-inline-start: 1rem;
    inset-block-start: 0.5rem;
    z-index: 10;
    background: var(--paper);
    padding: 0.5rem 1rem;
    border-radius: var(--radius);
  }

  /* The frame of a page */
  .banner {
    background: var(--primary);
    color: var(--on-primary);
  }
  .banner-in,
  .foot-in,
  main.wide {
    width: 100%;
    max-width: 75rem;
    margin-inline: auto;
    padding-inline: 1.25rem;
  }
  .banner-in {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1.25rem;
    min-height: 3.5rem;
    padding-block: 0.5rem;
  }
  .banner a {
    color: inherit;
  }
  .brand {
    display: inline-flex;
    align-items: center;
    gap: 0.75rem;
    font-weight: 700;
    font-size: 1.0625rem;
    text-decoration: none;
    color: inherit;
  }
  .brand img {
    height: 2rem;
    width: auto;
    max-width: 12rem;
    object-fit: contain;
  }
  .push {
    margin-inline-start: auto;
  }
  .ribbon {
    background: var(--warn-soft);
    color: var(--warn);
    text-align: center;
    font-size: 0.8125rem;
    font-weight: 600;
    padding: 0.25rem 1rem;
  }
  main {
    flex: 1;
    width: 100%;
    padding: 1.5rem 1.25rem 3rem;
  }
  main.narrow {
    max-width: 34rem;
    margin-inline: auto;
  }
  .foot {
    border-top: 1px solid var(--line);
    color: var(--quiet);
    font-size: 0.875rem;
  }
  .foot-in {
    padding-block: 1.25rem;
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 1.5rem;
    align-items: center;
  }
  .foot a {
    color: inherit;
  }

  /* Arranging */
  .stack > * + * {
    margin-block-start: var(--space);
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
  .row.spread {
    justify-content: space-between;
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
    font-size: 1.625rem;
    font-weight: 650;
    font-variant-numeric: tabular-nums;
    line-height: 1.2;
  }
  .facts {
    display: grid;
    gap: 0.375rem 1.25rem;
    grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
  }
  .empty {
    text-align: center;
    color: var(--quiet);
    padding: 2.5rem 1rem;
  }

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
  .button.danger,
  button.danger:not(.plain) {
    background: var(--bad);
    border-color: var(--bad);
    color: #ffffff;
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

  /* Lists */
  .table-scroll {
    overflow-x: auto;
    background: var(--paper);
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.9375rem;
  }
  caption {
    text-align: start;
    padding: 0.75rem 1rem;
    font-weight: 650;
  }
  th,
  td {
    padding: 0.625rem 1rem;
    text-align: start;
    vertical-align: top;
    border-top: 1px solid var(--line);
  }
  thead th {
    border-top: 0;
    color: var(--quiet);
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
  }
  th.end,
  td.end {
    text-align: end;
  }
  tbody tr:hover {
    background: var(--soft);
  }
  .pager {
    display: flex;
    justify-content: space-between;
    gap: 1rem;
    align-items: center;
  }
  .tabs,
  .menu {
    list-style: none;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
  }
  .tabs a,
  .menu a {
    display: block;
    padding: 0.5rem 0.75rem;
    border-radius: 8px;
    color: var(--ink);
    text-decoration: none;
  }
  .tabs a:hover,
  .menu a:hover {
    background: var(--soft);
  }
  .tabs [aria-current],
  .menu [aria-current] {
    background: var(--paper);
    box-shadow: inset 0 0 0 1px var(--line);
    font-weight: 650;
  }
  @media (min-width: 60rem) {
    .menu {
      flex-direction: column;
    }
  }
  .timeline {
    list-style: none;
    border-inline-start: 2px solid var(--line);
    padding-inline-start: 1.25rem;
  }
  .timeline li + li {
    margin-block-start: 1rem;
  }
  .plain-list {
    list-style: none;
  }

  /* Waiting */
  .spinner {
    width: 2.5rem;
    height: 2.5rem;
    border-radius: 50%;
    border: 4px solid var(--line);
    border-block-start-color: var(--accent);
    animation: turn 0.9s linear infinite;
    margin-inline: auto;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spinner {
      animation-duration: 6s;
    }
  }

  /* Charts */
  .chart {
    width: 100%;
    height: auto;
    display: block;
    font-size: 12px;
  }
  .chart text {
    fill: var(--quiet);
  }
  .chart .axis {
    stroke: var(--line);
    stroke-width: 1;
  }
  .legend {
    list-style: none;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    font-size: 0.875rem;
  }
  .legend svg {
    width: 0.75rem;
    height: 0.75rem;
    margin-inline-end: 0.375rem;
  }
  .series-1 {
    fill: var(--chart-1);
    stroke: var(--chart-1);
  }
  .series-2 {
    fill: var(--chart-2);
    stroke: var(--chart-2);
  }
  .series-3 {
    fill: var(--chart-3);
    stroke: var(--chart-3);
  }
  .series-4 {
    fill: var(--chart-4);
    stroke: var(--chart-4);
  }
  .series-5 {
    fill: var(--chart-5);
    stroke: var(--chart-5);
  }
  .series-6 {
    fill: var(--chart-6);
    stroke: var(--chart-6);
  }
  .chart .line {
    fill: none;
    stroke-width: 2;
    stroke-linejoin: round;
  }
  details > summary {
    cursor: pointer;
  }

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
  .preview::before {
    content: '';
    display: block;
    height: 5px;
    margin: -1.25rem -1.25rem 1.25rem;
    background: var(--primary);
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
    background: var(--paper);
    border-radius: var(--radius);
  }

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
  #page {
    min-width: 0;
  }
  .steps {
    padding-inline-start: 1.5rem;
  }
  .filters {
    display: grid;
    gap: 0.75rem;
    align-items: end;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
  }
  .halves.wide {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
  }
  .grid.tightly {
    gap: 0.5rem;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 11rem), 1fr));
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
  .preview-frame {
    display: block;
    width: 100%;
    height: 36rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--ground);
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
