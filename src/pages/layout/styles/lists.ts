import { css } from './css';

/** Tables, tabs, timelines, waiting and charts. */
export const listsStyle = css`
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
  /* Words stay whole: what is too wide is scrolled to. */
  .table-scroll table {
    overflow-wrap: break-word;
  }
  tbody th[scope='row'] {
    min-width: 7.5rem;
  }
  td button,
  td .button {
    white-space: nowrap;
  }
  caption {
    text-align: start;
    padding: 0.75rem;
    font-weight: 650;
  }
  th,
  td {
    padding: 0.625rem 0.75rem;
    text-align: start;
    vertical-align: middle;
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
  /* On a telephone each row of a wide table is a box of its own. */
  @media (max-width: 40rem) {
    .stacking {
      overflow: visible;
      border: 0;
      background: none;
    }
    .stacking :is(table, tbody, tr, th, td) {
      display: block;
    }
    .stacking thead {
      position: absolute;
      clip-path: inset(50%);
    }
    .stacking tbody tr {
      background: var(--paper);
      border: 1px solid var(--line);
      border-radius: var(--radius);
      padding-block: 0.5rem;
    }
    .stacking tbody tr + tr {
      margin-block-start: 0.75rem;
    }
    .stacking :is(tbody th, td) {
      border: 0;
      padding-block: 0.25rem;
    }
    .stacking td {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem 1rem;
      justify-content: flex-end;
      overflow-wrap: anywhere;
    }
    .stacking td:empty {
      display: none;
    }
    .stacking td::before {
      content: attr(data-title);
      margin-inline-end: auto;
      color: var(--quiet);
      font-size: 0.875rem;
    }
  }
  .pager {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    align-items: center;
  }
  .pager > :first-child {
    margin-inline-end: auto;
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
    max-width: 38rem;
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
`;
