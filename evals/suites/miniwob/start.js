// Starts one episode and leaves nothing on the page that shows a reward or starts another one.
async ({ seed, limitMs, waitMs }) => {
  const giveUp = performance.now() + waitMs;
  const until = async (isTrue, what) => {
    while (!isTrue()) {
      if (performance.now() > giveUp) throw new Error(`${what} did not come within ${waitMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const nothing = () => {};
  await until(() => document.getElementById('sync-task-cover'), 'the start cover');

  // The reward display goes, and with it everything that writes to it.
  document.body.removeEventListener('click', core.canvasDrawClick);
  for (const name of [
    'createDisplay', 'reloadDisplay', 'updateDisplay', 'hideDisplay', 'countdownTimer', 'clearTimer', 'canvasClear',
    'canvasDrawClick', 'canvasDrawElementClick', 'startEpisode',
  ]) core[name] = nothing;
  for (const id of ['sync-task-cover', 'reward-display', 'click-canvas']) document.getElementById(id)?.remove();
  // The flight pages write their verdict here and read it back, so it is hidden instead of removed.
  const verdict = document.getElementById('reward-reason');
  if (verdict) verdict.style.display = 'none';

  core.endEpisode = (reward, isTimed, reason) => {
    if (core.EP_TIMER === null) return;
    clearTimeout(core.EP_TIMER);
    core.EP_TIMER = null;
    const spent = (Date.now() - core.ept0) / core.EPISODE_MAX_TIME;
    WOB_RAW_REWARD_GLOBAL = reward;
    WOB_REWARD_GLOBAL = isTimed ? reward * Math.max(0, 1 - spent) : reward;
    WOB_REWARD_REASON = reason ?? null;
    WOB_DONE_GLOBAL = true;
    WOB_EPISODE_ID += 1;
  };
  core.EPISODE_MAX_TIME = limitMs;
  Math.seedrandom(seed);
  core.setDataMode('train');
  core.startEpisodeReal();
  core.startEpisodeReal = nothing;
  await until(() => WOB_TASK_READY, 'the task');
  const utterance = core.getUtterance();
  return typeof utterance === 'string' ? utterance : utterance.utterance;
}
