-- holonom.contact_record: studies of the record of contact laws. It has the solvers of the record, each with
-- settings whose inner iterations have practically converged, and the rule that divides an error into three.
-- The error of a row is its value, at the step h with default settings, minus the closed form. Its parts are
-- - solver: the value at h with default settings, minus the value at h with converged settings;
-- - time: the value at h with converged settings, minus the limit of small steps;
-- - model: the limit of small steps, minus the closed form.
-- Their sum is the error.
--
-- The limit is extrapolated from the values m1, m2, m3 at h, h / 2, h / 4 (Richardson). If the differences
-- m1 - m2 and m2 - m3 shrink by r from sqrt(2) to 4096, the order is log2(r), and the limit is
-- m3 - (m2 - m3) / (r - 1).
-- If they do not, or are below 1e-12, the limit is m3. Its uncertainty is its distance from the limit of the
-- nearest whole order, or without an order the largest of the two differences.
local core = ...
local study = require "holonom.study"

-- Solvers: settings as given, then converged; false: it has no inner iterations.
local tight = "contact_tolerance=1e-13,sweeps=30000,tolerance=1e-13,iterations=20000"
local solvers = {
  { "events", false },
  { "events:inner=lagrange:stepper=rk8pd:redundancy=remove:stabilisation=projection", false },
  { "impulse-contact", "impulse-contact:tolerance=1e-13,contact_tolerance=1e-13" },
  { "impulse-gs", "impulse-gs:tolerance=1e-12,velocity_tolerance=1e-12" },
  { "moreau", "moreau:" .. tight },
  { "moreau:theta=0.5", "moreau:theta=0.5," .. tight },
  { "moreau:contact=pgs", "moreau:contact=pgs," .. tight },
  { "moreau:contact=admm", "moreau:contact=admm," .. tight },
  { "moreau:contact=newton", "moreau:contact=newton," .. tight },
  { "moreau:contact=prox", "moreau:contact=prox," .. tight },
  { "moreau:contact=ipm", "moreau:contact=ipm," .. tight },
  { "moreau:contact=lemke", false }, -- pivoting
  { "moreau:contact=apgd", "moreau:contact=apgd," .. tight },
  { "moreau:contact=sap", "moreau:contact=sap," .. tight },
  { "moreau:preset=gribel2009", "moreau:preset=gribel2009,sweeps=1000" },
  { "tgs-soft", "tgs-soft:relax=20" },
  { "xpbd", "xpbd:iterations=10" },
  { "avbd", "avbd:iterations=200" },
}
-- Other engines, which may be missing.
local engines = {
  { "ode", false }, -- pivoting
  { "ode:stepper=quick", "ode:stepper=quick,iterations=1000" },
  { "bullet", "bullet:iterations=1000" },
  { "bullet:solver=nncg", "bullet:solver=nncg,iterations=1000" },
  { "mujoco", "mujoco:tolerance=1e-14,iterations=1000" },
  { "mujoco:cone=elliptic,impratio=10", "mujoco:cone=elliptic,impratio=10,tolerance=1e-14,iterations=1000" },
  { "simbody", false },
  { "dart", false }, -- pivoting
  { "dart:lcp=pgs", "dart:lcp=pgs,iterations=1000" },
  { "box2d", "box2d:velocity_iterations=1000" },
}
local rounding = 1e-12 -- smaller differences of a measure say nothing about its order

-- Returns the limit of the values at h, h / 2, h / 4, its uncertainty and the order, or false.
local function limit_of(m1, m2, m3)
  local first, second = m1 - m2, m2 - m3
  local ratio = first / second
  if math.abs(second) > rounding and ratio >= math.sqrt(2) and ratio <= 4096 then
    local order = math.log(ratio, 2)
    local whole = math.max(1, math.floor(order + 0.5))
    return m3 - second / (ratio - 1), math.abs(second / (ratio - 1) - second / (2 ^ whole - 1)), order
  end
  return m3, math.max(math.abs(first), math.abs(second)), false
end

-- ---- Rows ------------------------------------------------------------------------------------------------

local function key_of(...) return table.concat({ ... }, "|") end

-- Returns the values of the parameters of the scene in row R as a text.
local function point_of(r, parameters)
  local values = {}
  for i, name in ipairs(parameters) do values[i] = string.format("%s=%.12g", name, r[name]) end
  return table.concat(values, ", ")
end

-- Returns why the run of row R has no value, in one line.
local function failure_of(r)
  if not r then return "not run" end
  if r.reason == "converged" then return false end
  local why = r.explanation or ""
  return r.reason == "error" and why or r.reason .. (why ~= "" and ": " .. why or "")
end

-- Returns the values of MEASURE at the three steps with settings SPEC, and the first failure of a run.
local function values_at(find, spec, measure)
  local values = {}
  for i = 1, 3 do
    local r = find(spec, i)
    local why = failure_of(r)
    if why then return values, i == 1 and why or "at h / " .. 2 ^ (i - 1) .. ": " .. why end
    values[i] = r[measure]
  end
  return values, false
end

-- Returns the row of the conclusions for one solver and one measure, whose closed form is EXACT.
local function conclude_solver(case, find, given, converged, measure, exact)
  local row = { case, given, false, exact, false, false, false, false, false, false, "" }
  local first = find(given, 1)
  local why = failure_of(first)
  if why then
    row[11] = why
    return row
  end
  local value = first[measure]
  row[3], row[5] = value, value - exact
  local m, failed = values_at(find, converged or given, measure)
  if failed then row[11] = (converged and "converged settings: " or "") .. failed end
  if m[1] and converged then row[6] = value - m[1] end
  if not m[3] then return row end
  local limit, uncertainty, order = limit_of(m[1], m[2], m[3])
  row[7], row[8], row[9], row[10] = m[1] - limit, limit - exact, uncertainty, order
  return row
end

local columns = { "case", "solver", "value", "exact", "error", "solver_error", "time_error", "model_error",
                  "uncertainty", "order", "remark" }

-- Returns the rows of the table by point, solver and number of the step, the points, the solvers, and a table
-- of true by solver. Converged settings that --solvers has left out do not count.
local function index_rows(rows, parameters, steps)
  local of, points, specs, seen, ran = {}, {}, {}, {}, {}
  for _, r in ipairs(rows) do
    local point = point_of(r, parameters)
    if not seen[point] then seen[point], points[#points + 1] = true, { text = point, row = r } end
    if not ran[r.solver] then ran[r.solver], specs[#specs + 1] = true, r.solver end
    for i, step in ipairs(steps) do
      if r.step and math.abs(r.step - step) < 1e-9 * step then of[key_of(point, r.solver, i)] = r end
    end
  end
  return of, points, specs, ran
end

-- Returns the rows of a table for readers: by errors, failures last.
local function sorted(list)
  local place = {}
  for i, row in ipairs(list) do place[row] = i end
  table.sort(list, function(a, b)
    local x, y = a[5] and math.abs(a[5]) or math.huge, b[5] and math.abs(b[5]) or math.huge
    if x ~= y then return x < y end
    return place[a] < place[b]
  end)
  return list
end

local function conclude_with(pairs_of, parameters, steps, cases)
  local converged, hidden = {}, {}
  for _, pair in ipairs(pairs_of) do
    converged[pair[1]] = pair[2]
    if pair[2] then hidden[pair[2]] = true end
  end
  return function(rows)
    local of, points, specs, ran = index_rows(rows, parameters, steps)
    local out = { columns = columns }
    for _, case in ipairs(cases) do
      for _, point in ipairs(points) do
        if not case.only or case.only(point.row) then
          local list = {}
          local function find(spec, i) return of[key_of(point.text, spec, i)] end
          local title = case.title .. (point.text ~= "" and " (" .. point.text .. ")" or "")
          for _, spec in ipairs(specs) do
            if not hidden[spec] then
              local tight = converged[spec]
              list[#list + 1] = conclude_solver(title, find, spec, tight and ran[tight] and tight,
                                                case.measure, case.exact(point.row))
            end
          end
          for _, row in ipairs(sorted(list)) do out[#out + 1] = row end
        end
      end
    end
    return out
  end
end

-- ---- The study -------------------------------------------------------------------------------------------

local function names_of(t)
  local names = {}
  for name in pairs(t or {}) do names[#names + 1] = name end
  return names
end

-- Returns the study of a scene of the record: keys of a study, and
--   step    the step h, s
--   cases   a list of { measure = name, title = text with the unit, exact = function of a row, only =
--           function of a row: true if the case has the row's point }
--   compared true: errors against the best reference, made by runs; the column `error` is a measure, too
--   more    further solvers, pairs as above, before those of the record
--   without names of solvers of the record that the study leaves out
local function record(spec)
  local all, specs, others, left = {}, {}, {}, {}
  local steps = { spec.step, spec.step / 2, spec.step / 4 }
  for _, name in ipairs(spec.without or {}) do left[name] = true end
  for _, pair in ipairs(spec.more or {}) do all[#all + 1] = pair end
  for _, pair in ipairs(solvers) do
    if not left[pair[1]] then all[#all + 1] = pair end
  end
  for _, pair in ipairs(all) do
    specs[#specs + 1] = pair[1]
    specs[#specs + 1] = pair[2] or nil
  end
  for _, pair in ipairs(engines) do
    all[#all + 1] = pair
    others[#others + 1] = pair[1]
    others[#others + 1] = pair[2] or nil
  end
  return study {
    scene = spec.scene, set = spec.set, solvers = specs, engines = others, steps = steps,
    duration = spec.duration, reference = not spec.compared and "none" or nil, measures = spec.measures,
    results = spec.results, page = spec.page,
    conclude = conclude_with(all, names_of(spec.set), steps, spec.cases),
  }
end

return core.here(record)
