// graphile-worker on PostgreSQL: 24 at a time, local queue of 500, completions batched.
const { run, makeWorkerUtils, Logger } = require('graphile-worker');
const common = require('./common.js');

const connectionString = common.url;
const logger = new Logger(() => () => {});
const open = () => makeWorkerUtils({ connectionString, logger });

const preset = {
  worker: {
    connectionString,
    concurrentJobs: 24,
    maxPoolSize: 10,
    pollInterval: 2000,
    localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};

common.main({
  versions: () => ({
    'graphile-worker': require('graphile-worker/package.json').version,
    node: process.version,
  }),

  prepare: async () => {
    const utils = await open();
    await utils.migrate();
    await utils.release();
  },

  enqueue_each: async (jobs) => {
    const utils = await open();
    await utils.addJob('noop', common.payload(0));
    return common.seconds(async () => {
      for (let number = 0; number < jobs; number += 1) await utils.addJob('noop', common.payload(number));
    });
  },

  enqueue_bulk: async (jobs, size) => {
    const utils = await open();
    return common.seconds(async () => {
      for (let start = 0; start < jobs; start += size) {
        const chunk = [];
        for (let number = start; number < Math.min(jobs, start + size); number += 1) {
          chunk.push({ identifier: 'noop', payload: common.payload(number) });
        }
        await utils.addJobs(chunk);
      }
    });
  },

  pick_up: async (jobs) => {
    const utils = await open();
    return common.pace(jobs, (number) => utils.addJob('noop', common.payload(number)));
  },

  work: async () => {
    await common.awaitGo();
    const taskList = { noop: async (payload) => { common.hit(payload.n); } };
    await run({ preset, logger, noHandleSignals: true, taskList });
    await new Promise(() => {});
  },
});
