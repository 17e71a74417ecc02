import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '../..');

/**
 * Serves some requests in a process of its own, and prints what the last request and response were: the engine learns
 * from the first objects how much room they take, and a process that has run other tests has learnt other sizes.
 */
const program = `
const express = require('express');
const { createHttpServer } = require('./dist/src/kit/server.js');
const app = express();
let last;
function answer(request, response) {
  last = {
    isExpressRequest: Object.getPrototypeOf(request) === app.request,
    isExpressResponse: Object.getPrototypeOf(response) === app.response,
    hasRequestFields: %HasFastProperties(request),
    hasResponseFields: %HasFastProperties(response),
  };
  response.end('answered');
}
if (process.argv[1] === 'a middleware') app.use(answer);
else app.get('/', answer);
const server = createHttpServer(app);
server.listen(0, '127.0.0.1', async () => {
  for (let count = 0; count < 50; count += 1) await (await fetch('http://127.0.0.1:' + server.address().port)).text();
  console.log(JSON.stringify(last));
  server.closeAllConnections();
  server.close();
});
`;

test.each(['a middleware', 'a route'])(
  "a request and its response, answered by %s, have Express's prototypes from the start and keep their fast properties",
  async (how) => {
    const { stdout } = await run(process.execPath, ['--allow-natives-syntax', '-e', program, how], { cwd: root });
    expect(JSON.parse(stdout)).toEqual({
      isExpressRequest: true,
      isExpressResponse: true,
      hasRequestFields: true,
      hasResponseFields: true,
    });
  },
);
