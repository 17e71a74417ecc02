import { css } from './css';

/** Colours, sizes and elements, and the frame of a page. */
export const baseStyle = css`
  :root {
    --primary: #1d4ed8;
    --on-primary: #ffffff;
    --accent: #1d4ed8;
    --button: #1d4ed8;
    --on-button: #ffffff;
    --preview-button: #1d4ed8;
    --on-preview-button: #ffffff;
    --secondary: #5c5c66;
    --ink: #1b1b1f;
    --quiet: var(--secondary);
    --ground: #f4f4f6;
    --paper: #ffffff;
    --soft: #f0f0f4;
    --line: #dcdce3;
    --edge: color-mix(in srgb, var(--secondary) 85%, var(--paper));
    --good: #166534;
    --good-soft: #e7f6ec;
    --bad: #a3161a;
    --bad-soft: #fdecec;
    --on-bad: #ffffff;
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
  /* A field for a day has a button inside, which takes the focus as well. */
  :focus-visible,
  input[type='date']:focus-within,
  input[type='datetime-local']:focus-within {
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
`;
