"""check_schema.py DIRECTORY SCHEMA [FILE ...]: is the JSON of every FILE, or of standard input, as DIRECTORY/SCHEMA.json says?
One line for each that is not. Also sees that the schemas are schemas, and that each of their objects is closed: a key
that nobody has told of is an error."""
import json
import pathlib
import sys
import jsonschema

directory, name, files = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:] or ["/dev/stdin"]
schemas = {path.name: json.loads(path.read_text()) for path in directory.glob("*.json")}
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
schema = schemas[name + ".json"]
try:
    import referencing
    contents = [(file, referencing.Resource.from_contents(text)) for file, text in schemas.items()]
    validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry().with_resources(contents))
except ImportError:  # before version 4.18 of jsonschema
    resolver = jsonschema.RefResolver(base_uri=name + ".json", referrer=schema, store=schemas)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
bad = 0


def refuse(constant):
    raise ValueError(constant + " is no JSON")


for file in files:
    value = json.loads(pathlib.Path(file).read_text(), parse_constant=refuse)
    for error in validator.iter_errors(value):
        print(file, "/".join(map(str, error.absolute_path)) or "itself", error.message[:200])
        bad += 1
sys.exit(bad > 0)
