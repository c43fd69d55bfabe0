-- holonom.study: the module for studies. It checks a study and converts it to lists, which the C side (core)
-- copies. Ranges and samples are expanded only if core.whole is true: measures do not need them.
local core = ...
local most = 1000000 -- values of one list, at most: bounds the memory of a mistyped count

local function fail(...) core.fail(string.format(...)) end

local function check_number(what, x)
  if math.type(x) == nil then fail("%s must be a number, not a %s", what, type(x)) end
  if x ~= x or x == math.huge or x == -math.huge then fail("%s must be finite, not %s", what, tostring(x)) end
end

-- Raise an error for keys of T that are not in KNOWN.
local function check_keys(what, t, known)
  if type(t) ~= "table" then fail("%s must be a table, not a %s", what, type(t)) end
  for key in pairs(t) do
    for _, word in ipairs(known) do
      if key == word then goto good end
    end
    core.unknown(what, "key", tostring(key), known)
    ::good::
  end
end

-- Returns the keys of T, which are names, sorted by bytes.
local function names_of(what, t)
  local names = {}
  if type(t) ~= "table" then fail("%s must be a table { name = ... }, not a %s", what, type(t)) end
  for name in pairs(t) do
    if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
      fail("%s: names are letters, digits and _, not %s", what, tostring(name))
    end
    names[#names + 1] = name
  end
  return names
end

-- ---- Values -----------------------------------------------------------------------------------------------

-- Kinds of the tables made by range, log, random and the distributions.
local made = {}
local function make(kind, t)
  made[t] = kind
  return t
end

-- Returns a range { count =, at = function(i) }, with the numbers of FROM:TO:COUNT on the command line.
local function make_range(what, from, to, count, between)
  check_number(what .. ": its first number", from)
  check_number(what .. ": its second number", to)
  check_number(what .. ": its count", count)
  if math.tointeger(count) == nil or count < 1 then
    fail("%s: its count must be a whole number from 1", what)
  end
  if count > most then fail("%s: %.15g values; the most is %d", what, count, most) end
  if count == 1 and from ~= to then fail("%s: two ends and one value", what) end
  local function at(i)
    local x = i == 1 and from or i == count and to or between((i - 1) / (count - 1))
    return tonumber(string.format("%.15g", x))
  end
  return make("range", { count = math.tointeger(count), at = at })
end

local function range(from, to, count)
  return make_range("range", from, to, count, function(part) return from + (to - from) * part end)
end

local function log(from, to, count)
  if type(from) == "number" and type(to) == "number" and not (from > 0 and to > 0) then
    fail("log: both ends must be greater than zero")
  end
  return make_range("log", from, to, count, function(part) return from * (to / from) ^ part end)
end

-- Returns a value, a list or a range as a list.
local function list_of(what, given)
  if made[given] == "range" then
    local list = {}
    if core.whole then for i = 1, given.count do list[i] = given.at(i) end end
    return list
  end
  if made[given] then fail("%s: samples are not values of a grid: give them as samples", what) end
  if type(given) ~= "table" then given = { given } end
  local entries = 0
  for _ in pairs(given) do entries = entries + 1 end
  if entries == 0 then fail("%s: an empty list", what) end
  if entries ~= #given then fail("%s: a list has no names and no gaps", what) end
  if entries > most then fail("%s: %d values; the most is %d", what, entries, most) end
  for i, value in ipairs(given) do
    local kind = type(value)
    if kind == "number" then check_number(what .. "[" .. i .. "]", value)
    elseif kind ~= "string" and kind ~= "boolean" then
      fail("%s[%d] must be a number, a string, true or false, not a %s", what, i, kind)
    end
  end
  return given
end

-- ---- Samples ----------------------------------------------------------------------------------------------

-- Output function of SplitMix64.
local function mix(z)
  z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
  z = (z ~ z >> 27) * 0x94d049bb133111eb
  return z ~ z >> 31
end

-- FNV-1a hash.
local function hash(text)
  local h = 0xcbf29ce484222325
  for i = 1, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  return h
end

-- Returns the uniform numbers in [0, 1) of a parameter: entry i of the SplitMix64 sequence seeded by seed and
-- name. A sample uses two of them. They depend neither on other parameters nor on the number of samples.
local function uniform_numbers(seed, name)
  local start = mix(seed) ~ hash(name)
  return function(i) return (mix(start + i * 0x9e3779b97f4a7c15) >> 11) * 0x1p-53 end
end

-- A distribution maps the two uniform numbers of a sample to a value.
local function distribution(draw) return make("distribution", { draw = draw }) end

local function check_ends(what, a, b)
  check_number(what .. ": its first number", a)
  check_number(what .. ": its second number", b)
  if a > b then fail("%s: %.15g is above %.15g", what, a, b) end
end

local function uniform(a, b)
  check_ends("uniform", a, b)
  return distribution(function(u) return a + (b - a) * u end)
end

local function log_uniform(a, b)
  check_ends("log_uniform", a, b)
  if a <= 0 then fail("log_uniform: both ends must be greater than zero") end
  return distribution(function(u) return a * (b / a) ^ u end)
end

local function normal(mean, deviation)
  check_number("normal: its mean", mean)
  check_number("normal: its deviation", deviation)
  return distribution(function(u, v)
    return mean + deviation * math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v)
  end)
end

local function integer(a, b)
  check_ends("integer", a, b)
  if not math.tointeger(a) or not math.tointeger(b) then fail("integer: both ends must be whole numbers") end
  a, b = math.tointeger(a), math.tointeger(b)
  if b - a >= 1 << 53 or b - a < 0 then fail("integer: too wide a range") end
  return distribution(function(u) return a + math.floor(u * (b - a + 1)) end)
end

local function choice(list)
  list = list_of("choice", list)
  return distribution(function(u) return list[1 + math.floor(u * #list)] end)
end

-- Returns a distribution; { a, b } means uniform(a, b).
local function distribution_of(what, given)
  if made[given] == "distribution" then return given end
  if type(given) ~= "table" or made[given] or #given ~= 2 then
    fail("%s must be { from, to } or a distribution such as study.log_uniform(from, to)", what)
  end
  return uniform(given[1], given[2])
end

local function random(spec)
  check_keys("random", spec, { "seed", "count", "set" })
  local seed, count = math.tointeger(spec.seed), math.tointeger(spec.count)
  if not seed then fail("random: seed must be a whole number") end
  if not count or count < 1 then fail("random: count must be a whole number from 1") end
  if count > most then fail("random: %d samples; the most is %d", count, most) end
  local names, number, draw = names_of("random: set", spec.set), {}, {}
  if #names == 0 then fail("random: set is empty") end
  for k, name in ipairs(names) do
    number[k], draw[k] = uniform_numbers(seed, name), distribution_of("random: " .. name, spec.set[name]).draw
  end
  local function at(i, k) return draw[k](number[k](2 * i - 1), number[k](2 * i)) end
  return make("samples", { names = names, count = count, at = at })
end

-- A list of points { name = value, ... } as samples.
local function listed_samples(list)
  local first = type(list) == "table" and list[1] or nil
  if not first then
    fail("samples must be study.random { ... } or a list of points { { name = value, ... }, ... }")
  end
  local names = names_of("samples[1]", first)
  if #names == 0 then fail("samples[1] is empty") end
  for i = 1, #list do
    check_keys("samples[" .. i .. "]", list[i], names)
    for _, name in ipairs(names) do
      if list[i][name] == nil then fail("samples[%d] has no %s", i, name) end
      list_of("samples[" .. i .. "]." .. name, { list[i][name] })
    end
  end
  return { names = names, count = #list, at = function(i, k) return list[i][names[k]] end }
end

-- ---- A study ----------------------------------------------------------------------------------------------

-- One parameter an axis.
local function axes_of(what, t)
  local axes = {}
  for _, name in ipairs(names_of(what, t)) do
    axes[#axes + 1] = { names = { name }, values = list_of(what .. "." .. name, t[name]) }
  end
  return axes
end

local function sample_axis(samples, axes)
  samples = made[samples] == "samples" and samples or listed_samples(samples)
  for _, name in ipairs(samples.names) do
    for _, axis in ipairs(axes) do
      if axis.names[1] == name then fail("%s is both in set and in samples", name) end
    end
  end
  local values = {}
  if core.whole then
    for i = 1, samples.count do
      for k = 1, #samples.names do values[#values + 1] = samples.at(i, k) end
    end
  end
  return { names = samples.names, values = values }
end

local function text_list(what, given)
  local list = list_of(what, given)
  for i, text in ipairs(list) do
    if type(text) ~= "string" then fail("%s[%d] must be a string, not a %s", what, i, type(text)) end
  end
  return list
end

local function check_text(what, text)
  if text == nil then fail("%s is missing", what) end
  if type(text) ~= "string" or text == "" then fail("%s must be a string that is not empty", what) end
end

local function check_positive(what, x)
  check_number(what, x)
  if x <= 0 then fail("%s must be positive, not %.15g", what, x) end
end

local function positive_list(what, given)
  local list = list_of(what, given)
  for i, x in ipairs(list) do check_positive(what .. "[" .. i .. "]", x) end
  return list
end

local function functions_of(what, t)
  local list = {}
  for _, name in ipairs(names_of(what, t)) do
    if type(t[name]) ~= "function" then
      fail("%s.%s must be a function, not a %s", what, name, type(t[name]))
    end
    list[#list + 1] = { name = name, call = t[name] }
  end
  return list
end

local keys = { "scene", "set", "samples", "solvers", "engines", "vary", "steps", "duration", "reference",
               "norm", "consistent", "measures", "results", "conclude", "times", "show", "beside", "page" }

-- Returns the plan of a page: its title and two lists of texts.
local function page_of(page)
  check_keys("page", page, { "title", "text", "asked" })
  check_text("page.title", page.title)
  return { title = page.title, text = page.text and text_list("page.text", page.text) or {},
           asked = page.asked and text_list("page.asked", page.asked) or {} }
end

-- Returns a study that is a list of others, which are files of its directory.
local function list_of_studies(spec)
  check_keys("list of studies", spec, { "studies", "page" })
  local names = text_list("studies", spec.studies)
  for _, name in ipairs(names) do
    if not name:match "^[%w_]+$" then fail("studies: names are letters, digits and _, not %s", name) end
  end
  return core.study { studies = names, axes = {}, solvers = {}, engines = {}, varied = {}, steps = {},
                      measures = {}, results = {}, show = {}, page = spec.page and page_of(spec.page) }
end

local function study(spec)
  if type(spec) == "table" and spec.studies ~= nil then return list_of_studies(spec) end
  check_keys("study", spec, keys)
  check_text("scene", spec.scene)
  local plan = {
    scene = spec.scene,
    studies = {},
    engines = spec.engines and text_list("engines", spec.engines) or {},
    conclude = spec.conclude,
    page = spec.page and page_of(spec.page),
    axes = axes_of("set", spec.set or {}),
    solvers = spec.solvers and text_list("solvers", spec.solvers) or {},
    varied = axes_of("vary", spec.vary or {}),
    steps = spec.steps and positive_list("steps", spec.steps) or {},
    duration = spec.duration,
    reference = spec.reference,
    norm = spec.norm,
    consistent = spec.consistent,
    measures = functions_of("measures", spec.measures or {}),
    results = functions_of("results", spec.results or {}),
    times = spec.times,
    show = spec.show and text_list("show", spec.show) or {},
    beside = spec.beside,
  }
  if spec.samples ~= nil then plan.axes[#plan.axes + 1] = sample_axis(spec.samples, plan.axes) end
  for _, axis in ipairs(plan.varied) do
    for _, value in ipairs(axis.values) do
      if type(value) == "string" and value:find(",", 1, true) then
        fail("vary: a value cannot contain a comma")
      end
    end
  end
  if spec.duration ~= nil then check_positive("duration", spec.duration) end
  if spec.conclude ~= nil and type(spec.conclude) ~= "function" then
    fail("conclude must be a function, not a %s", type(spec.conclude))
  end
  if spec.beside ~= nil then check_text("beside", spec.beside) end
  if spec.reference ~= nil and spec.reference ~= "none" and spec.reference ~= "scene" then
    fail("reference must be \"scene\" or \"none\", not %s", tostring(spec.reference))
  end
  if spec.norm ~= nil and spec.norm ~= "end" and spec.norm ~= "rms" and spec.norm ~= "max" then
    fail("norm must be \"end\", \"rms\" or \"max\", not %s", tostring(spec.norm))
  end
  if spec.times ~= nil and (math.type(spec.times) ~= "integer" or spec.times < 1 or spec.times > 1024) then
    fail("times must be a whole number of measurements from 1 to 1024")
  end
  if spec.consistent ~= nil and type(spec.consistent) ~= "boolean" then
    fail("consistent must be true or false")
  end
  return core.study(plan)
end

local words = { range = range, log = log, random = random, uniform = uniform, log_uniform = log_uniform,
                normal = normal, integer = integer, choice = choice }
return setmetatable({}, {
  __call = core.here(function(_, spec) return study(spec) end),
  __index = function(_, key)
    local known = {}
    for word in pairs(words) do known[#known + 1] = word end
    return words[key] or core.unknown("study", "name", tostring(key), known)
  end,
  __newindex = function(_, key) fail("study: cannot set %s", tostring(key)) end,
  __metatable = false,
})
